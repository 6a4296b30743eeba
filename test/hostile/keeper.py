#!/usr/bin/python3
# A helper that is not ours: the addon starts it as it would start the supervisor. It starts every command, but what it
# says about it is a misuse of the lease; the command's first argument names which.

import os
import signal
import socket
import struct
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wire

ENDLESS = ['/bin/sh', '-c', 'while :; do sleep 60; done']


def read_request(lease):
    """Gives the host's version, the first argument and the environment."""
    payload = wire.read_frame(lease)[1]
    head = wire.SPAWN_HEAD.unpack_from(payload)
    argc, version = head[5], head[-1].rstrip(b'\0').decode()
    strings = [text.decode() for text in payload[wire.SPAWN_HEAD.size + wire.RIGHTS.size:].split(b'\0')]
    argv = strings[3:3 + argc]
    environment = dict(entry.partition('=')[::2] for entry in strings[3 + argc:] if entry)
    return version, argv[1], environment


def start(environment):
    # Closed by exec: before, the command has another environment, and couldn't be found by its mark.
    executed, ends = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.execve(ENDLESS[0], ENDLESS, environment)
    os.close(ends)
    os.read(executed, 1)
    os.close(executed)
    return pid


def started(pid):
    return wire.frame(wire.STARTED, struct.pack('=i', pid))


def exited():
    return wire.frame(wire.EXITED, struct.pack('=ii', 0, 0))


# What is said after READY.
SAYS = {
    'header truncated': lambda pid: started(pid) + wire.frame(wire.SETTLED, wire.EMPTY)[:5],
    'payload truncated': lambda pid: started(pid) + wire.frame(wire.SETTLED, wire.EMPTY)[:-1],
    'oversized': lambda pid: started(pid) + wire.frame(wire.SETTLED, size=(64 << 10) + 1),
    'size of 4 GiB': lambda pid: started(pid) + wire.frame(wire.SETTLED, size=2**32 - 1),
    'another version': lambda pid: started(pid) + wire.frame(wire.SETTLED, wire.EMPTY, version=9),
    'unknown type': lambda pid: started(pid) + wire.frame(200),
    'a frame of the other direction': lambda pid: started(pid) + wire.stop(),
    'started twice': lambda pid: started(pid) * 2,
    'exited twice': lambda pid: started(pid) + exited() * 2,
    'failed after its start': lambda pid: started(pid) + wire.frame(wire.FAILED, struct.pack('=iB', 2, 3)),
    'descriptors': lambda pid: started(pid),
    'a settlement of two bytes': lambda pid: started(pid) + wire.frame(wire.SETTLED, b'\1\1'),
    'a reason that nobody knows': lambda pid: started(pid) + wire.frame(wire.STOPPING, b'\xff'),
    'a list that is too short': lambda pid: started(pid) + wire.frame(wire.PROCESSES, b'\0\0\0\0\0\5\0'),
    'settled before its start': lambda pid: wire.frame(wire.SETTLED, wire.EMPTY),
    'exited before its start': lambda pid: exited(),
    'PID 1': lambda pid: started(1),
    'PID -1': lambda pid: started(-1),
    'started in one byte': lambda pid: wire.frame(wire.STARTED, b'\5'),
    'nothing': lambda pid: b'',
}
# These go on after it; the others hang up.
HOLDS = ('oversized', 'unknown type', 'started twice', 'a settlement of two bytes', 'PID 1')


def say(lease, misuse, data):
    if misuse == 'descriptors':
        wire.send(lease, data, [0, 1, 2])
    else:
        for value in data:
            lease.send(bytes([value]))


def serve(lease):
    version, misuse, environment = read_request(lease)
    pid = start(environment)
    try:
        lease.sendall(wire.frame(wire.READY, version.encode()))
        say(lease, misuse, SAYS[misuse](pid))
        # The host has to hang up by itself.
        while misuse in HOLDS and lease.recv(4096):
            pass
    except OSError:
        pass
    lease.close()
    os.waitpid(pid, 0)


def main():
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # A helper gets none of the host's descriptors; what is opened here must not become the command's stdin.
    while os.open('/dev/null', os.O_RDWR) < 3:
        pass
    os.set_inheritable(3, False)
    control = socket.socket(fileno=3)
    while True:
        data, rights, _, _ = socket.recv_fds(control, 256, 4)
        if not data:
            os._exit(0)
        os.set_inheritable(rights[0], False)
        threading.Thread(target=serve, args=(socket.socket(fileno=rights[0]),), daemon=True).start()


main()
