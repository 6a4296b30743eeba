# C29: the leader is gone at once; its helper goes on writing to the same pipe for half a second and then ends, as git
# hooks do.
echo first
(
  for i in 1 2 3 4 5 6 7 8 9 10; do
    sleep 0.05
    echo "hook line $i"
  done
  echo hook-finished
) &
exit 0
