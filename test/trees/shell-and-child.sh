# C01: a shell that waits for one long child. It can't exec into the child: it still has something to do afterwards.
echo $$ >"$TREE_DIR/pid.shell"
sleep 60 &
echo $! >"$TREE_DIR/pid.child"
echo started
: >"$TREE_DIR/ready"
wait
echo finished
