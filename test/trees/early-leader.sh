# C06: the leader puts work into the background, with the output closed off, and is gone long before any stop.
sleep 60 </dev/null >/dev/null 2>&1 &
echo $! >"$TREE_DIR/pid.left"
echo launched
: >"$TREE_DIR/ready"
exit 0
