# The trees of the comparison: `trees.py SHAPE`. Each member adds a line to the file COMPARE_READY once it is what its
# name says. All of them end by themselves after half a minute, and the hopper when the file is gone.

import os
import signal
import sys
import time

READY = os.environ['COMPARE_READY']


def ready(role):
    with open(READY, 'a') as file:
        file.write(f'{os.getpid()} {role}\n')


def stay(role):
    ready(role)
    time.sleep(30)
    os._exit(0)


def start(role, *steps):
    child = os.fork()
    if child != 0:
        return child
    for step in steps:
        step()
    stay(role)


def double_fork():
    os.setsid()
    if os.fork() != 0:
        os._exit(0)


def ignore_sigterm():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def hop():
    """Never the same process for long: a new session and a new number every 5 ms."""
    ready('hopper')
    for _ in range(6000):
        os.setsid()
        time.sleep(0.005)
        if not os.path.exists(READY) or os.fork() != 0:
            os._exit(0)


def plain():
    start('plain')


def session():
    start('session', os.setsid)


def daemon():
    os.waitpid(start('daemon', double_fork), 0)


def deaf():
    start('deaf', ignore_sigterm)


def hopper():
    if os.fork() == 0:
        hop()
        os._exit(0)


def everything():
    for shape in (plain, session, daemon, deaf):
        shape()


shapes = {f.__name__: f for f in (plain, session, daemon, deaf, hopper, everything)}
shapes[sys.argv[1]]()
stay('command')
