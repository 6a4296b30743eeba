# A host that is not ours: `host.py HELPER` starts the helper as ours does and misuses its sockets, one misuse after the
# other, each with a command of its own that is deaf to SIGTERM. Says as JSON what came of each: whether the keeper closed
# the connection, whether the command ended, which descriptors the supervisor has, and whether it still serves others.

import json
import os
import socket
import struct
import subprocess
import sys
import time

import wire

PATIENCE = 10
HELPER = sys.argv[1]
VERSION = subprocess.run([HELPER, '--version'], capture_output=True, text=True, check=True).stdout.split()[1]
DEAF = ['/bin/sh', '-c', "trap '' TERM; while :; do sleep 60; done"]


class Supervisor:
    def __init__(self):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        os.set_inheritable(theirs.fileno(), True)
        self.process = subprocess.Popen(
            [HELPER], preexec_fn=lambda: os.dup2(theirs.fileno(), 3), pass_fds=(3, theirs.fileno())
        )
        theirs.close()
        self.control.settimeout(PATIENCE)

    def keeper(self):
        ours, theirs = socket.socketpair()
        ours.settimeout(PATIENCE)
        wire.send(self.control, wire.frame(wire.FORK), [theirs.fileno()])
        theirs.close()
        return ours

    def command(self):
        lease = self.keeper()
        lease.sendall(wire.spawn(VERSION, DEAF))
        pid, = struct.unpack('=i', wire.read_until(lease, wire.STARTED))
        return lease, pid

    def serves(self):
        lease = self.keeper()
        lease.sendall(wire.spawn(VERSION, ['/bin/true']))
        settled = wire.read_until(lease, wire.SETTLED)
        lease.close()
        return settled[0] == 0

    def descriptors(self):
        return sorted(os.listdir(f'/proc/{self.process.pid}/fd'))


def wait(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def is_gone(pid):
    try:
        with open(f'/proc/{pid}/stat') as stat:
            return stat.read().rpartition(')')[2].split()[0] in 'ZX'
    except (FileNotFoundError, ProcessLookupError):
        return True


def closes(peer):
    try:
        while peer.recv(65536):
            pass
        return True
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def bytewise(lease, data):
    for value in data:
        lease.sendall(bytes([value]))


def flood(lease):
    """Asks and never listens, as long as the keeper takes it, at most some megabytes of answers."""
    lease.setblocking(False)
    try:
        for number in range(20_000):
            lease.send(wire.frame(wire.INSPECT, struct.pack('=I', number)))
    except (BlockingIOError, BrokenPipeError, ConnectionResetError):
        pass
    lease.settimeout(PATIENCE)
    lease.shutdown(socket.SHUT_WR)


null = os.open('/dev/null', os.O_RDWR)

# Each is done to the lease of a running command.
LEASE = {
    'header truncated': lambda lease: (lease.sendall(wire.stop()[:5]), lease.shutdown(socket.SHUT_WR)),
    'payload truncated': lambda lease: (lease.sendall(wire.stop()[:-1]), lease.shutdown(socket.SHUT_WR)),
    'oversized': lambda lease: lease.sendall(wire.frame(wire.STOP, b'x' * 100)),
    'size of 4 GiB': lambda lease: lease.sendall(wire.frame(wire.INSPECT, size=2**32 - 1)),
    'another version': lambda lease: lease.sendall(wire.frame(wire.DRAINED, version=wire.VERSION + 1)),
    'unknown type': lambda lease: lease.sendall(wire.frame(999)),
    'a frame of the other direction': lambda lease: lease.sendall(wire.frame(wire.SETTLED, wire.EMPTY)),
    'a frame of watchers': lambda lease: lease.sendall(wire.frame(21)),
    'spawn twice': lambda lease: lease.sendall(wire.spawn(VERSION, DEAF)),
    'stop of another size': lambda lease: lease.sendall(wire.frame(wire.STOP, b'x' * 8)),
    'stop with a negative budget': lambda lease: lease.sendall(wire.stop(budget=-1)),
    'stop asked for before time began': lambda lease: lease.sendall(wire.stop(requested=-(2**63))),
    'stop for no known reason': lambda lease: lease.sendall(wire.stop(reason=99)),
    'signal 0': lambda lease: lease.sendall(wire.frame(wire.SIGNAL, struct.pack('=i', 0))),
    'signal 65': lambda lease: lease.sendall(wire.frame(wire.SIGNAL, struct.pack('=i', 65))),
    'list of another size': lambda lease: lease.sendall(wire.frame(wire.INSPECT, b'x')),
    'a descriptor with a stop': lambda lease: wire.send(lease, wire.stop(), [null]),
    'a descriptor with a payload': lambda lease: (
        lease.sendall(wire.stop()[:8]),
        wire.send(lease, wire.stop()[8:], [null]),
    ),
    'too many descriptors': lambda lease: wire.send(lease, wire.stop(), [null] * 60),
    'slow writer that gives up': lambda lease: (
        bytewise(lease, wire.stop()[:20]),
        lease.shutdown(socket.SHUT_WR),
    ),
    'slow writer': lambda lease: bytewise(lease, wire.stop(budget=0)),
    'asks and never listens': flood,
}

# Each is sent to a keeper that has no command yet; it must start none.
REQUESTS = {
    'more arguments than bytes': (wire.spawn(VERSION, DEAF, argc=2**32 - 1), []),
    'no arguments': (wire.spawn(VERSION, DEAF, argc=0), []),
    'one argument too few': (wire.spawn(VERSION, DEAF, argc=2), []),
    'of another version': (wire.spawn('9.9.9', DEAF), []),
    'asked for before time began': (wire.spawn(VERSION, DEAF, requested=-5), []),
    'capabilities to keep and to drop': (wire.spawn(VERSION, DEAF, rights=24), []),
    'an unknown right': (wire.spawn(VERSION, DEAF, rights=64), []),
    'more groups than there are places': (wire.spawn(VERSION, DEAF, rights=4, groups=2**32 - 1), []),
    'negative timeout': (wire.spawn(VERSION, DEAF, timeout=-2), []),
    'a descriptor that it does not name': (wire.spawn(VERSION, DEAF), [null]),
    'without the descriptors that it names': (wire.spawn(VERSION, DEAF, mask=7), []),
    'oversized': (wire.frame(wire.SPAWN, size=(8 << 20) + 1), []),
    'more descriptors than there are places': (wire.spawn(VERSION, DEAF, mask=15), [null] * 5),
}

# Each is a packet to the supervisor, which ends that connection; commands go on until their own leases end.
CONTROL = {
    'cut header': (b'\0' * 3, 0),
    'empty payload of a watch': (wire.frame(wire.WATCH), 1),
    'oversized': (wire.frame(wire.WATCH, b'\1' * 56) + b'x' * 5000, 1),
    'another version': (wire.frame(wire.FORK, version=9), 1),
    'unknown type': (wire.frame(77), 1),
    'no lease': (wire.frame(wire.FORK), 0),
    'two leases': (wire.frame(wire.FORK), 2),
    'sixty leases': (wire.frame(wire.FORK), 60),
    'a watch of PID 1': (wire.frame(wire.WATCH, struct.pack('=qqiiiiII16s', 1, 1, 1, 15, 0, 0, 0, 0, b'')), 1),
}


def misuse_lease(supervisor, misuse):
    before = supervisor.descriptors()
    lease, pid = supervisor.command()
    misuse(lease)
    closed = closes(lease)
    gone = wait(lambda: is_gone(pid))
    lease.close()
    return {
        'closed': closed,
        'gone': gone,
        'kept': wait(lambda: supervisor.descriptors() == before),
        'serves': supervisor.serves(),
    }


def misuse_request(supervisor, request, descriptors):
    before = supervisor.descriptors()
    lease = supervisor.keeper()
    wire.send(lease, request, descriptors)
    started = False
    closed = False
    try:
        while True:
            kind, _ = wire.read_frame(lease)
            started = started or kind == wire.STARTED
    except (EOFError, ConnectionResetError):
        closed = True
    except TimeoutError:
        pass
    lease.close()
    return {
        'closed': closed,
        'gone': not started,
        'kept': wait(lambda: supervisor.descriptors() == before),
        'serves': supervisor.serves(),
    }


def misuse_control(packet, count):
    supervisor = Supervisor()
    lease, pid = supervisor.command()
    wire.send(supervisor.control, packet, [null] * count)
    closed = closes(supervisor.control)
    lives = not is_gone(pid)
    lease.close()
    gone = wait(lambda: is_gone(pid))
    ended = wait(lambda: supervisor.process.poll() is not None)
    if not ended:
        supervisor.process.kill()
        supervisor.process.wait()
    supervisor.control.close()
    return {'closed': closed, 'lives': lives, 'gone': gone, 'ended': ended}


def main():
    said = {'lease': {}, 'request': {}, 'control': {}}
    supervisor = Supervisor()
    supervisor.serves()
    for name, misuse in LEASE.items():
        said['lease'][name] = misuse_lease(supervisor, misuse)
    for name, (request, descriptors) in REQUESTS.items():
        said['request'][name] = misuse_request(supervisor, request, descriptors)
    supervisor.control.close()
    supervisor.process.wait(PATIENCE)
    for name, (packet, count) in CONTROL.items():
        said['control'][name] = misuse_control(packet, count)
    print(json.dumps(said))


main()
