# Exchanges a folder with a link to another folder, and a file with a link to a file there, as fast as it can:
#   swap.pl <outside> <path…>      each path is made a folder with `file.txt`; runs until it is ended, then says how often it swapped
use strict;
use warnings;
use Errno qw(ENOSYS EINVAL);

my ($outside, @paths) = @ARGV;
my %numbers = (x86_64 => 316, aarch64 => 276);
my $number = $numbers{(split /\s/, qx(uname -m))[0]};
my ($swaps, $is_over) = (0, 0);
$SIG{TERM} = sub { $is_over = 1 };

my @places;
for my $path (@paths) {
  my ($folder, $name) = $path =~ m{^(.*)/([^/]+)$};
  opendir my $handle, $folder or die "$folder: $!";
  push @places, [$handle, $name];
}

sub furnish {
  my ($name) = @_;
  mkdir $name;
  unless (-e "$name/file.txt" || -l $name) {
    open my $file, ">", "$name/file.txt" or return;
    print $file "inside\n";
  }
  symlink $outside, "$name.link" unless -l "$name.link" || -d "$name.link";
  symlink "$outside/file.txt", "$name/file.link" unless -l $name;
}

sub exchange {
  my ($one, $other) = @_;
  if (defined $number) {
    return 1 if syscall($number, -100, $one, -100, $other, 2) == 0;
    return 0 unless $! == ENOSYS || $! == EINVAL;
    undef $number;
  }
  return rename($one, "$one.old") && rename($other, $one) && rename("$one.old", $other);
}

$| = 1;
while (!$is_over) {
  for my $place (@places) {
    my ($handle, $name) = @$place;
    # The folder may be moved meanwhile: its handle goes with it.
    next unless chdir $handle;
    furnish($name);
    print "racing\n" if $swaps == 0;
    for (1 .. 50) {
      $swaps += exchange($name, "$name.link");
      # Through the folder itself, wherever it is now: the files outside are not swapped.
      my $real = -l $name ? "$name.link" : $name;
      $swaps += exchange("$real/file.txt", "$real/file.link") if !-l $real;
      last if $is_over;
    }
  }
}
print "$swaps\n";
