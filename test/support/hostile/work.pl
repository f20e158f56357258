# Works until it is ended, and writes down when: work.pl <manner> <witness> <mark>
use strict;
use warnings;
use POSIX ();
use Time::HiRes ();

my ($manner, $witness, $mark) = @ARGV;
$| = 1;

sub witness {
  open my $file, ">>", $witness or die "$witness: $!";
  syswrite $file, sprintf "%.3f %s\n", Time::HiRes::time() * 1000, $mark;
}

sub work {
  for (;;) {
    witness();
    print "working\n";
    select undef, undef, undef, 0.01;
  }
}

sub deaf { $SIG{$_} = "IGNORE" for grep { !/^(KILL|STOP|CHLD|NUM\d+|RT.*|__.*|ZERO)$/ } keys %SIG; }

my %manners = (
  stream  => \&work,
  deaf    => sub { deaf(); work() },
  stopped => sub {
    my $pid = fork // die "fork: $!";
    work() unless $pid;
    select undef, undef, undef, 0.2;
    kill "STOP", $pid, $$;
    work();
  },
  escaped => sub {
    for (1, 2) {
      my $pid = fork // die "fork: $!";
      next if $pid;
      POSIX::setsid();
      exit if fork;
      deaf();
      work();
    }
    work();
  },
  fails => sub { witness(); exit 1 },
);
$manners{$manner}->();
