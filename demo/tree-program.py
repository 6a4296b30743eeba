# The command that the demo stops, and its four children, three of which make that hard. Each prints its role and pid
# once it is what it says. All end by themselves after a minute, whatever becomes of the demo.

import os
import signal
import time


def stay(role):
    # One write, so that the lines of several processes don't mix.
    os.write(1, f'{os.getpid()} {role}\n'.encode())
    time.sleep(60)
    os._exit(0)


def start(role, *steps):
    child = os.fork()
    if child != 0:
        return child
    for step in steps:
        step()
    stay(role)


def double_fork():
    """The classic daemon: a session of its own, and a parent that is gone."""
    os.setsid()
    if os.fork() != 0:
        os._exit(0)


def ignore_sigterm():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


start('plain child')
start('setsid child', os.setsid)
os.waitpid(start('daemon', double_fork), 0)
start('deaf child', ignore_sigterm)
stay('command')
