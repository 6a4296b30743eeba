# G1: everything at once that a stop has to deal with: a plain child, one in its own session, a daemon, one deaf to
# SIGTERM, a stopped one, a traced one, one that forks again on SIGTERM, and one that forks all the time.

import ctypes
import os
import signal
import time

from note import (
    close_output, daemonise, folder_exists, fork_child, ignore, linger, note, note_pid, wait_for,
)

PTRACE_TRACEME = 0


def stay(role, *before):
    for step in before:
        step()
    note_pid(role)
    linger()


def stopped():
    note_pid('stopped')
    os.kill(os.getpid(), signal.SIGSTOP)
    linger()


def traced():
    ctypes.CDLL(None).ptrace(PTRACE_TRACEME, 0, 0, 0)
    note_pid('traced')
    os.kill(os.getpid(), signal.SIGSTOP)
    linger()


def tracer():
    child = fork_child(traced)
    os.waitpid(child, os.WUNTRACED)
    note_pid('tracer')
    linger()


def forks_again():
    def again(*_):
        fork_child(lambda: (os.setsid(), stay('again')))
        os._exit(0)

    signal.signal(signal.SIGTERM, again)
    stay('forks-again')


def hopper():
    """Bounded by the folder, and to half a minute."""
    close_output()
    for hop in range(3000):
        note('hopper', f'{hop} {os.getpid()}')
        if hop == 2:
            note('hopper-is-out')
        time.sleep(0.005)
        if not folder_exists() or os.fork() != 0:
            return
        os.setsid()


note_pid('leader')
fork_child(lambda: stay('plain'))
fork_child(lambda: stay('session', os.setsid))
daemonise(lambda: stay('daemon'))
fork_child(lambda: stay('deaf', lambda: ignore(signal.SIGTERM)))
stopping = fork_child(stopped)
fork_child(tracer)
fork_child(forks_again)
hopping = fork_child(hopper)
os.waitpid(stopping, os.WUNTRACED)
os.waitpid(hopping, 0)
wait_for(*(f'pid.{role}' for role in ('plain', 'session', 'daemon', 'deaf', 'tracer', 'forks-again')), 'hopper-is-out')
note('ready')
linger()
