# Says that it is there, and stays a while.
: >"$TREE_DIR/ready"
exec sleep 60
