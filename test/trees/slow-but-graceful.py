# C08: on SIGTERM the child needs 400 ms to flush, and the leader waits for it. Each notes every SIGTERM that it gets:
# a second one would tell a careful program to hurry.

import os
import signal
import time

from note import append, fork_child, note, note_pid, wait_for


def stay(role, on_term, others=()):
    """Counts signals in a handler, and works outside of it: a second one must be seen, not be queued."""
    asked = []

    def handler(*_):
        append(f'terms.{role}', 'TERM')
        asked.append(True)

    signal.signal(signal.SIGTERM, handler)
    note_pid(role)
    wait_for(*others)
    note('ready')
    while not asked:
        time.sleep(0.02)
    on_term()


def flush():
    end = time.monotonic() + 0.4
    while time.monotonic() < end:
        time.sleep(0.02)
    print('child-flushed', flush=True)
    note('mark.child')


child = fork_child(lambda: stay('child', flush, ['pid.leader']))


def wait_for_child():
    os.waitpid(child, 0)
    print('leader-flushed', flush=True)
    note('mark.leader')


stay('leader', wait_for_child, ['pid.child'])
