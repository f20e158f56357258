# Writes down what it is told backwards and, when that shall be an attempt that failed, fails: bury.pl <saved|failed>
use strict;
use warnings;

my ($name) = @ARGV;
open my $in, "<", "buried.txt" or die "buried.txt: $!";
my ($text) = map { /^\Q$name\E (.*)$/ ? scalar reverse $1 : () } <$in>;
open my $out, ">", "$name.txt" or die "$name.txt: $!";
print $out "$text\n";
close $out;
exit($name eq "failed" ? 1 : 0);
