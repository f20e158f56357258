# Looks for canaries wherever it can look and hands on what it finds in every disguise: spy.pl <name> <wide|whole|near>
# near: only at the places it is told and at its own parent, for a spy without a wall; whole: also in the programs of the system.
use strict;
use warnings;
use File::Find ();
use MIME::Base64 ();

my ($name, $scope) = @ARGV;
my %loot;

sub look {
  my ($text, $where) = @_;
  $loot{$&}{$where} = 1 while $text =~ /cnry\+[0-9a-f]{20}=[0-9a-f]{20}/g;
}

sub slurp {
  my ($path) = @_;
  return unless -f $path || $path =~ m{^/proc/};
  open my $file, "<:raw", $path or return;
  my $text = "";
  while (length $text < 32 << 20) { last unless sysread $file, $text, 1 << 20, length $text }
  return $text;
}

sub search { my $text = slurp($_[0]); look($text, $_[1] // $_[0]) if defined $text }

sub output_of { my $text = qx($_[0] 2>&1 </dev/null); look($text // "", $_[0]) }

my @places = split /\n/, slurp("places.txt") // "";
my @pids = $scope eq "near" ? ("self", getppid) : ("self", map { m{(\d+)$} } glob "/proc/[0-9]*");
my @roots = $scope eq "near" ? ("") : ("", "/workspace/..", map { "/proc/$_/root" } @pids);
my @walks = $scope eq "near" ? () : grep { -d } map { "/$_" } grep { !/^(?:proc|sys)$/ } list("/");
@walks = grep { !m{^/(?:usr|bin|sbin|lib.*|opt)$} } @walks unless $scope eq "whole";

sub list { opendir my $folder, $_[0] or return; return grep { !/^\.\.?$/ } readdir $folder }

look(join("\n", %ENV), "environment");
for my $pid (@pids) { search("/proc/$pid/$_") for qw(environ cmdline mountinfo maps) }
for my $fd (list("/proc/self/fd")) {
  next if $fd < 3 || ! -f "/proc/self/fd/$fd";
  search("/proc/self/fd/$fd");
}
for my $root (@roots) { search("$root$_", "$root$_") for @places }
for my $place (@places) {
  my $link = "/tmp/link-$$";
  symlink $place, $link and search($link, "link to $place");
  unlink $link;
  link $place, $link and search($link, "hard link to $place");
  unlink $link;
}
File::Find::find({ no_chdir => 1, wanted => sub { search($File::Find::name) if -f } }, @walks) if @walks;
output_of($_) for "git config --list --show-origin", "git remote -v", "git log --all -p", "git stash list -p",
  "git cat-file --batch-all-objects --batch", "git show-ref", "git reflog --all", "set", "ps axeww", "mount";
output_of("cat node_modules/*");

my $said = join "", map { "$name: $_\n" } map { disguises($_) } sort keys %loot;
print map({ "$_=$ENV{$_}\n" } sort keys %ENV) if $scope ne "near";
print $said;
print STDERR $said;
for my $file ("loot-$name.txt", "out.txt") {
  open my $out, ">", $file or next;
  print $out "nothing else\n$said";
}
system "git add -A >/dev/null 2>&1; git commit -qm '$name' >/dev/null 2>&1";
printf "%s found %d\n", $name, scalar keys %loot;
printf "%s: at %s\n", $name, join(", ", sort keys %$_) for values %loot;

sub disguises {
  my ($text) = @_;
  my $encoded = $text =~ s/([^A-Za-z0-9])/sprintf "%%%02X", ord $1/ger;
  return ($text, MIME::Base64::encode_base64($text, ""), unpack("H*", $text), scalar reverse($text), $encoded);
}
