# C39: only the direct child has a parent-death signal; what it forks doesn't inherit it.
exec setpriv --pdeathsig KILL bash -c '
  echo $$ >"$TREE_DIR/pid.direct"
  sleep 60 &
  echo $! >"$TREE_DIR/pid.grandchild"
  : >"$TREE_DIR/ready"
  wait
  true
'
