# C58: a server that needs 300 ms to close on SIGTERM, and whose helper, deaf to SIGTERM, inherited the listening socket.

import os
import signal
import socket
import time

from note import fork_child, ignore, linger, note, note_pid, wait_for

listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(('127.0.0.1', 0))
listener.listen(5)


def helper():
    ignore(signal.SIGTERM)
    note_pid('helper')
    os.set_inheritable(listener.fileno(), True)
    os.execvp('sleep', ['sleep', '60'])


def close(*_):
    time.sleep(0.3)
    note('mark.closed')
    os._exit(0)


fork_child(helper)
signal.signal(signal.SIGTERM, close)
note_pid('server')
note('port', listener.getsockname()[1])
wait_for('pid.helper')
note('ready')
linger()
