# C04: the leader goes at once, politely, while a child of the same group doesn't hear SIGTERM at all.
trap 'echo leader-bye; exit 0' TERM
(
  trap '' TERM
  : >"$TREE_DIR/deaf"
  exec sleep 60
) &
echo $! >"$TREE_DIR/pid.stubborn"
echo $$ >"$TREE_DIR/pid.leader"
until [ -e "$TREE_DIR/deaf" ]; do sleep 0.01; done
: >"$TREE_DIR/ready"
wait
