# A crowd: `crowd.py N [obedient]` makes N processes, the leader among them, every second one in a session of its own.
# All are deaf to SIGTERM, unless obedient.

import os
import signal
import sys
import time

from note import LIFETIME, fork_child, ignore, note, note_pid

size = int(sys.argv[1])
if 'obedient' not in sys.argv:
    ignore(signal.SIGTERM)
arrived, arrive = os.pipe()


def member(own_session):
    if own_session:
        os.setsid()
    os.write(arrive, b'.')
    # A small program: what the kernel takes to end a thousand interpreters is not what is looked at.
    os.execvp('sleep', ['sleep', str(LIFETIME)])


note_pid('leader')
members = [fork_child(lambda: member(number % 2 == 0)) for number in range(size - 1)]
count = 0
while count < len(members):
    count += len(os.read(arrived, 4096))
note('members', '\n'.join(str(pid) for pid in [os.getpid(), *members]))
note('ready')
time.sleep(LIFETIME)
