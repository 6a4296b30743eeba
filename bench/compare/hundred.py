# One tree of 100 that obeys SIGTERM: `hundred.py READY`. Nine children of the leader, each with nine of its own, every
# second of these in a session of its own; and nine whose parent has gone, in the leader's group. All of them end by
# themselves after a minute. READY is there once the tree stands.

import os
import sys

LIFETIME = '60'
arrived, arrive = os.pipe()


def member(own_session=False):
    """A small program: what the kernel takes to end a hundred interpreters is not what is measured."""
    if own_session:
        os.setsid()
    os.write(arrive, b'.')
    os.execvp('sleep', ['sleep', LIFETIME])


def start(work):
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return child


def family():
    for number in range(9):
        start(lambda: member(number % 2 == 0))
    member()


def orphans():
    for _ in range(9):
        start(member)


for _ in range(9):
    start(family)
os.waitpid(start(orphans), 0)
count = 0
while count < 99:
    count += len(os.read(arrived, 4096))
with open(sys.argv[1], 'w'):
    pass
member()
