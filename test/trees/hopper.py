# C13: never the same process for long: every 5 ms it forks itself into a new session and exits. A list of processes
# often doesn't show it at all. Bounded: 1,600 hops, or until the folder is gone.
# With argument `in-group` it is deaf to SIGTERM and stays in the session and group of its leader.

import os
import signal
import sys
import time

from note import DIR, close_output, fork_child, ignore, linger, note, note_pid


in_group = 'in-group' in sys.argv


def leave():
    if not in_group:
        os.setsid()


def hop():
    if in_group:
        ignore(signal.SIGTERM)
    leave()
    close_output()
    for _ in range(1600):
        note_pid('hopper')
        time.sleep(0.005)
        if not os.path.isdir(DIR) or os.fork() != 0:
            return
        leave()


note_pid('leader')
fork_child(hop)
os.wait()
note('ready')
linger()
