# C14: a fork storm inside one process group: 24 lines, whose every member lives for about 30 ms and has its successor
# halfway. Any list of pids is out of date when it is used. Bounded: 12 s, or until the folder is gone.
# With argument `deaf` nobody hears SIGTERM.

import os
import signal
import sys
import time

from note import folder_exists, fork_child, ignore, linger, note, note_pid

LINES = 24
END = time.monotonic() + 12


def live(line):
    while True:
        time.sleep(0.015)
        if time.monotonic() > END or not folder_exists():
            return
        if os.fork() != 0:
            time.sleep(0.015)
            return
        note(f'line.{line}', os.getpid())


note_pid('leader')
if 'deaf' in sys.argv:
    ignore(signal.SIGTERM)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for number in range(LINES):
    fork_child(lambda: live(number))
time.sleep(0.2)
note('ready')
linger()
