# C09: a child in a session of its own; its parent lives on.
echo $$ >"$TREE_DIR/pid.shell"
# A background job of a script leads no group, so setsid(1) doesn't have to fork: $! is the sleep itself.
setsid sleep 60 >/dev/null 2>&1 &
echo $! >"$TREE_DIR/pid.session"
until [ "$(ps -o comm= -p $!)" = sleep ]; do sleep 0.01; done
: >"$TREE_DIR/ready"
wait
