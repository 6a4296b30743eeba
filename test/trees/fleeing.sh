# A daemon that loses its parent only when it is told to: until then a picture shows whose it is.
echo $$ >"$TREE_DIR/pid.shell"
bash -c '
  setsid bash -c "echo \$\$ >\"\$TREE_DIR/pid.daemon\"; exec sleep 60" </dev/null >/dev/null 2>&1 &
  until [ -e "$TREE_DIR/go" ]; do sleep 0.01; done
'
: >"$TREE_DIR/ready"
sleep 60 &
wait
