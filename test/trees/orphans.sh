# Orphans whose parents are gone while the leader lives: in the leader's group, in a group of its own of the leader's
# session, and below a session of its own.
echo $$ >"$TREE_DIR/pid.leader"
(sleep 60 & echo $! >"$TREE_DIR/pid.same-group")
(
  set -m
  sleep 60 &
  echo $! >"$TREE_DIR/pid.own-group"
)
setsid bash -c '
  echo $$ >"$TREE_DIR/pid.session"
  (sleep 60 & echo $! >"$TREE_DIR/pid.below-session")
  : >"$TREE_DIR/stands"
  sleep 60
  true
' </dev/null >/dev/null 2>&1 &
until [ -e "$TREE_DIR/stands" ]; do sleep 0.01; done
: >"$TREE_DIR/ready"
wait
