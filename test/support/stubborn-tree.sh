# Ignores the polite signal and starts descendants that do too: one in the group, one in a session of its own, one
# forked twice. Prints the id of each.
trap '' TERM
echo "self $$"
sleep 307 &
echo "child $!"
setsid sleep 307 &
echo "session $!"
(setsid sh -c 'sleep 307 & echo "double $!"' &)
wait
