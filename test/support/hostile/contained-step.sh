# One step of the contained run: contained-step.sh <name>. It looks whether it found what the steps before it left, and nothing else.
set -eu
expect() { [ "$(cat "$1")" = "$2" ] || { echo "$1 holds: $(cat "$1")" >&2; exit 7; }; }
absent() { for path in "$@"; do [ ! -e "$path" ] || { echo "there is $path" >&2; exit 8; }; done; }
lines() { expect log.txt "$(printf '%s\n' "$@")"; }
sleep 0.05
case $1 in
  write)
    absent log.txt one.txt
    mkdir -p deep/er
    echo one >one.txt
    echo two >deep/er/two.txt
    printf '#!/bin/sh\n' >tool && chmod 755 tool
    ln -s deep/er/two.txt link
    rm old.txt
    echo cache >ignored.cache
    ;;
  flaky)
    lines write
    absent junk.txt
    expect one.txt one
    if [ "$PAWL_ATTEMPT" = 1 ]; then
      echo changed >one.txt
      rm -r deep
      echo junk >junk.txt
      exit 1
    fi
    ;;
  grow) lines write flaky && head -c 300000 /dev/zero | tr '\0' x >large.txt ;;
  pair)
    lines write flaky grow
    absent mine
    echo "$PAWL_STAGE" >mine
    exit 0
    ;;
  more)
    lines write flaky grow
    absent mine
    rm -r deep
    ;;
  check)
    lines write flaky grow more
    absent junk.txt mine deep old.txt
    exit 0
    ;;
  after) lines write flaky grow more ;;
  last)
    lines write flaky grow more after
    exit 0
    ;;
esac
sleep 0.05
echo "$1" >>log.txt
