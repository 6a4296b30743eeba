# C13: never the same process for long: every 5 ms it forks itself into a new session and exits. A list of processes
# often doesn't show it at all. Bounded: 1,600 hops, or until the folder is gone.

import os
import time

from note import DIR, close_output, fork_child, linger, note, note_pid


def hop():
    os.setsid()
    close_output()
    for _ in range(1600):
        note_pid('hopper')
        time.sleep(0.005)
        if not os.path.isdir(DIR) or os.fork() != 0:
            return
        os.setsid()


note_pid('leader')
fork_child(hop)
os.wait()
note('ready')
linger()
