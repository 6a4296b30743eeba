# C05: nobody hears SIGTERM: what a shell ignores stays ignored in its children, over fork and exec.
trap '' TERM
echo $$ >"$TREE_DIR/pid.shell"
sleep 60 &
echo $! >"$TREE_DIR/pid.child"
echo started
: >"$TREE_DIR/ready"
wait
echo finished
