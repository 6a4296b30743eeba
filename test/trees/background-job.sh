# C28: a job left in the background keeps both pipes open; the shell itself is done at once.
echo $$ >"$TREE_DIR/pid.shell"
echo before
sleep 60 &
echo $! >"$TREE_DIR/pid.server"
echo 'server started'
: >"$TREE_DIR/ready"
