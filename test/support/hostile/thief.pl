# Promises a file and puts a link to a secret in its place, whose path is in STOLEN
use strict;
use warnings;

my $path = $ENV{STOLEN};
my ($folder, $name) = $path =~ m{^(.*)/([^/]+)$};
symlink $path, "leak" or die "leak: $!";
symlink $folder, "folder" or die "folder: $!";
open my $out, ">", "plain" or die "plain: $!";
print $out "nothing\n";
