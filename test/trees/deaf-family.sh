# C38: a run in progress when its host is killed: a shell deaf to TERM and HUP, a child, and a child in another session.
trap '' TERM HUP
echo $$ >"$TREE_DIR/pid.shell"
sleep 60 &
echo $! >"$TREE_DIR/pid.child"
setsid sleep 60 </dev/null >/dev/null 2>&1 &
echo $! >"$TREE_DIR/pid.session"
until [ "$(ps -o comm= -p $!)" = sleep ]; do sleep 0.01; done
: >"$TREE_DIR/ready"
wait
