# A task queue: its main program, told to end, gives the worker 300 ms to finish what it is at. A worker that gets
# SIGTERM itself drops its work. Both are of one group, and note in which order they were told.

import os
import signal
import sys
import time

from note import append, folder_exists, fork_child, note, wait_for

asked = []


def work():
    signal.signal(signal.SIGTERM, lambda *_: (append('order', 'worker asked'), os._exit(0)))
    note('worker')
    while folder_exists():
        time.sleep(0.01)


def end(*_):
    append('order', 'main asked')
    asked.append(True)


fork_child(work)
wait_for('worker')
signal.signal(signal.SIGTERM, end)
note('ready')
while folder_exists() and not asked:
    time.sleep(0.01)
time.sleep(0.3)
append('order', 'main ends')
sys.exit(5)
