# C19: a sandbox wrapper. The payload's shell is PID 1 of a PID namespace, which drops a SIGTERM that it has no handler
# for, even one from outside; and it starts its worker again whenever that ends. Needs root or user namespaces.
echo $$ >"$TREE_DIR/pid.shell"
unshare --pid --fork bash -c 'while :; do sleep 60; done' &
echo $! >"$TREE_DIR/pid.wrapper"
child_of() {
  until pgrep -P "$1"; do sleep 0.01; done
}
child_of $! >"$TREE_DIR/pid.init"
child_of "$(cat "$TREE_DIR/pid.init")" >"$TREE_DIR/pid.payload"
: >"$TREE_DIR/ready"
wait
