# Ends with status 3 when it is told to. With `server`, it leaves a process in the background.
echo $$ >"$TREE_DIR/pid.shell"
if [ "$1" = server ]; then
  sleep 60 </dev/null >/dev/null 2>&1 &
  echo $! >"$TREE_DIR/pid.server"
  until [ "$(ps -o comm= -p $!)" = sleep ]; do sleep 0.01; done
fi
: >"$TREE_DIR/ready"
until [ -e "$TREE_DIR/go" ]; do sleep 0.01; done
exit 3
