# What the Python trees share: notes in TREE_DIR, and the steps by which a process leaves its tree.
# Every tree ends by itself: after a minute, or when its folder is gone.

import os
import signal
import time

DIR = os.environ['TREE_DIR']
LIFETIME = 60


def note(name, text=''):
    """Written aside and renamed: a reader never sees half of it."""
    aside = f'{DIR}/~{name}.{os.getpid()}'
    with open(aside, 'w') as file:
        file.write(str(text))
    os.rename(aside, f'{DIR}/{name}')


def note_pid(role):
    note(f'pid.{role}', os.getpid())


def append(name, line):
    """One write with O_APPEND: lines of several processes don't mix."""
    out = os.open(f'{DIR}/{name}', os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.write(out, f'{line}\n'.encode())
    os.close(out)


def fork_child(body):
    """Runs `body` in a child and gives its pid. The child never comes back from here."""
    pid = os.fork()
    if pid != 0:
        return pid
    status = 1
    try:
        body()
        status = 0
    finally:
        os._exit(status)


def close_output():
    null = os.open('/dev/null', os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)


def wait_until_orphaned(parent):
    while os.getppid() == parent:
        time.sleep(0.001)


def daemonise(body):
    """The classic double fork: a session of its own, and the one in the middle is gone before body() begins."""

    def middle():
        os.setsid()
        parent = os.getpid()
        fork_child(lambda: (close_output(), os.chdir('/'), wait_until_orphaned(parent), body()))

    os.waitpid(fork_child(middle), 0)


def ignore(*names):
    for name in names:
        signal.signal(name, signal.SIG_IGN)


def folder_exists():
    return os.path.isdir(DIR)


def linger():
    """Stays until its time or its folder is over."""
    end = time.monotonic() + LIFETIME
    while time.monotonic() < end and folder_exists():
        time.sleep(0.5)


def wait_for(*names):
    while not all(os.path.exists(f'{DIR}/{name}') for name in names):
        time.sleep(0.005)
