# Leaves a process behind that tries to outlive its stage: escape.pl <style> <mark> <leave|linger|hoard>
use strict;
use warnings;
use POSIX ();

my ($style, $mark, $manner) = @ARGV;
my @nap = ("/usr/bin/env", "-i", "/usr/bin/perl", "-e", "sleep 1 while 1", "$mark-out");

sub become { exec { $_[0] } @_ or POSIX::_exit(9) }

sub child(&) {
  my ($work) = @_;
  my $pid = fork // die "fork: $!";
  return $pid if $pid;
  $work->();
  POSIX::_exit(0);
}

sub deaf { $SIG{$_} = "IGNORE" for grep { !/^(KILL|STOP|CHLD|NUM\d+|RT.*|__.*|ZERO)$/ } keys %SIG; }

my %styles = (
  setsid => sub { child { POSIX::setsid(); become(@nap) } },
  group  => sub { child { POSIX::setpgid(0, 0); become(@nap) } },
  daemon => sub {
    my $middle = child {
      POSIX::setsid();
      child {
        chdir "/";
        POSIX::close($_) for 0 .. 255;
        become(@nap);
      };
    };
    waitpid $middle, 0;
  },
  nohup => sub { system "/bin/sh", "-c", 'nohup "$@" >/dev/null 2>&1 &', "sh", @nap },
  deaf  => sub { child { POSIX::setsid(); deaf(); become(@nap) } },
  # Each lives for a moment only and hands on to the next: whoever kills by a list of ids comes too late.
  chain => sub {
    child {
      my $next = 'for (keys %SIG) { $SIG{$_} = "IGNORE" unless /^(KILL|STOP|CHLD|NUM|RT|ZERO)/ }'
        . ' for (;;) { my $pid = fork; if (!defined $pid) { select undef, undef, undef, 0.01; next }'
        . ' if ($pid) { select undef, undef, undef, 0.02; exit } setpgrp }';
      become("/usr/bin/env", "-i", "/usr/bin/perl", "-e", $next, "$mark-out");
    };
  },
);

$styles{$style}->();
select undef, undef, undef, 0.5;
exit 0 if $manner eq "leave";
my @hoard;
while ($manner eq "hoard") {
  push @hoard, "x" x (4 << 20);
  select undef, undef, undef, 0.002;
}
deaf();
sleep 1 while 1;
