# C26: run as root: the leader and a child stay root, another child becomes uid 65534.

import os

from note import fork_child, linger, note, note_pid, wait_for

NOBODY = 65534


def user():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    note_pid('userchild')
    linger()


def root():
    note_pid('rootchild')
    linger()


note_pid('rootleader')
fork_child(root)
fork_child(user)
wait_for('pid.rootchild', 'pid.userchild')
note('ready')
linger()
