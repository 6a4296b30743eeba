# C16: on SIGTERM the leader starts a helper in a session of its own ("compose down") and doesn't wait for it. The
# helper needs 200 ms for its work, and then doesn't go. With argument `linger` the leader stays half a second more.
linger=${1:-}
echo $$ >"$TREE_DIR/pid.leader"
on_term() {
  setsid bash -c '
    echo $$ >"$TREE_DIR/helper"
    sleep 0.2
    : >"$TREE_DIR/mark.helper-did-its-work"
    exec sleep 60
  ' </dev/null >/dev/null 2>&1 &
  until [ -e "$TREE_DIR/helper" ]; do sleep 0.01; done
  [ "$linger" = linger ] && sleep 0.5
  exit 0
}
trap on_term TERM
: >"$TREE_DIR/ready"
while :; do sleep 0.02; done
