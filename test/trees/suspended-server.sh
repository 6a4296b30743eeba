# C22: a server with a cleanup handler, suspended (Ctrl-Z). It can only clean up if SIGCONT follows the SIGTERM.
echo $$ >"$TREE_DIR/pid.leader"
trap 'exit 0' TERM
bash -c '
  trap ": >$TREE_DIR/mark.cleaned; exit 0" TERM
  echo $$ >"$TREE_DIR/pid.server"
  kill -STOP $$
  while :; do sleep 0.02; done
' &
until [ "$(ps -o state= -p $!)" = T ]; do sleep 0.01; done
: >"$TREE_DIR/ready"
wait
