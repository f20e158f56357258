# keyed: one line per key, however often it is started. once: one line per start.
case "$1" in
  keyed)
    grep -qxF "keyed $PAWL_KEY" effects.log 2>/dev/null || echo "keyed $PAWL_KEY" >> effects.log
    echo note > note.txt
    echo "said by $PAWL_STAGE"
    ;;
  once)
    echo "once $PAWL_KEY" >> effects.log
    ;;
  check)
    test "$(cat written.txt)" = written
    ;;
esac
