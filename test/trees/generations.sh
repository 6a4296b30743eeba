# A leader, its child, its grandchild and a daemon, none of which hears TERM or HUP: only a kept budget ends them.
trap '' TERM HUP
echo $$ >"$TREE_DIR/pid.leader"
bash -c '
  echo $$ >"$TREE_DIR/pid.child"
  sleep 60 &
  echo $! >"$TREE_DIR/pid.grandchild"
  wait
' &
(setsid bash -c 'echo $$ >"$TREE_DIR/pid.daemon"; exec sleep 60' </dev/null >/dev/null 2>&1 &)
until [ -s "$TREE_DIR/pid.grandchild" ] && [ -s "$TREE_DIR/pid.daemon" ]; do sleep 0.01; done
: >"$TREE_DIR/ready"
wait
