"""A command that looks for a way to its keeper and supervisor, and to a child of its own as the control."""

import ctypes
import errno
import json
import os
import socket
import stat
import subprocess

libc = ctypes.CDLL(None, use_errno=True)
PIDFD_OPEN, PIDFD_GETFD = 434, 438
PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17


def outcome(act):
    try:
        act()
        return 'done'
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))


def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), 'refused')
    return result


def take_descriptors(pid):
    """Copies every descriptor that the process may have: the first refusal that is no mere gap counts."""
    handle = check(libc.syscall(PIDFD_OPEN, pid, 0))
    try:
        taken = 0
        for number in range(64):
            try:
                os.close(check(libc.syscall(PIDFD_GETFD, handle, number, 0)))
                taken += 1
            except OSError as error:
                if error.errno != errno.EBADF:
                    raise
        if taken == 0:
            raise OSError(errno.EBADF, 'none')
    finally:
        os.close(handle)


def trace(pid):
    check(libc.ptrace(PTRACE_SEIZE, pid, None, None))
    # A detach takes a stop; the end of the tracer detaches as well.


def attempts(pid):
    return {
        'list descriptors': outcome(lambda: os.listdir(f'/proc/{pid}/fd')),
        'read environment': outcome(lambda: open(f'/proc/{pid}/environ', 'rb').close()),
        'open memory': outcome(lambda: open(f'/proc/{pid}/mem', 'r+b', buffering=0).close()),
        'take descriptors': outcome(lambda: take_descriptors(pid)),
        'trace': outcome(lambda: trace(pid)),
    }


def parent_of(pid):
    with open(f'/proc/{pid}/stat', encoding='latin1') as file:
        return int(file.read().rpartition(')')[2].split()[1])


def own_descriptors():
    """Number to kind; where there is a socket, what sending on it gives."""
    kinds = {}
    for number in sorted(int(name) for name in os.listdir('/proc/self/fd')):
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            continue  # of the listing itself
        kinds[number] = 'pipe' if stat.S_ISFIFO(mode) else 'device' if stat.S_ISCHR(mode) else 'other'
        if stat.S_ISSOCK(mode):
            kinds[number] = 'socket, ' + outcome(lambda: socket.socket(fileno=os.dup(number)).send(b'hello'))
    return kinds


libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
descriptors = own_descriptors()
keeper = os.getppid()
with open(f'/proc/{keeper}/comm', encoding='ascii') as name:
    # Nobody else is to be traced.
    if name.read() != 'procleash-keep\n':
        raise SystemExit('my parent is no keeper')
child = subprocess.Popen(['sleep', '60'], stdin=subprocess.DEVNULL)
print(
    json.dumps(
        {
            'descriptors': descriptors,
            'keeper': attempts(keeper),
            'supervisor': attempts(parent_of(keeper)),
            'control': attempts(child.pid),
        }
    ),
    flush=True,
)
child.wait()
