# The wire format once more, for peers that misuse it: see native/core/wire.h.

import array
import os
import socket
import struct

VERSION = 3
FORK, WATCH = 1, 2
SPAWN, STOP, SIGNAL, INSPECT, DRAINED = 16, 17, 18, 19, 20
STARTED, FAILED, EXITED, STOPPING, SETTLED, PROCESSES, READY = range(65, 72)
HEAD = struct.Struct('=IHH')
SPAWN_HEAD = struct.Struct('=qqqiIIIIIqqq16s')
RIGHTS = struct.Struct('=IIIIQ64I')
EMPTY = bytes([0, 1, 1, 0]) + struct.pack('=ddddIHH', 1, 1, 1, 1, 0, 0, 0)
SURVIVORS = bytes([1, 1, 0, 1]) + struct.pack('=ddddIHH', 1, 1, 1, 1, 0, 0, 0)


def frame(kind, payload=b'', version=VERSION, size=None):
    return HEAD.pack(len(payload) if size is None else size, version, kind) + payload


def send(peer, data, descriptors=()):
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', descriptors))] if descriptors else []
    peer.sendmsg([data], rights)


def stop(budget=500_000_000, requested=0, reason=1):
    return frame(STOP, struct.pack('=qqBxxxxxxx', requested, budget, reason))


def spawn(version, argv, requested=0, timeout=-1, budget=500_000_000, mask=0, argc=None, rights=0, groups=0):
    # The marks, by which whoever is left would be found.
    marks = [f'{name}={value}' for name, value in os.environ.items() if name.startswith('PROCLEASH_TEST_')]
    strings = [argv[0], '/', '', *argv, *marks]
    count = len(argv) if argc is None else argc
    head = SPAWN_HEAD.pack(
        requested, timeout, budget, 15, 0, count, len(marks), mask, 0, -1, -1, -1, version.encode()
    )
    head += RIGHTS.pack(rights, 0, 0, groups, 0, *[0] * 64)
    return frame(SPAWN, head + b''.join(text.encode() + b'\0' for text in strings))


def read_exactly(peer, size):
    data = b''
    while len(data) < size:
        part = peer.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def read_frame(peer):
    size, _, kind = HEAD.unpack(read_exactly(peer, HEAD.size))
    return kind, read_exactly(peer, size)


def read_until(peer, wanted):
    while True:
        kind, payload = read_frame(peer)
        if kind == wanted:
            return payload
