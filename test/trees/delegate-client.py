# C56: a client that has its work done by a server which is nobody's descendant here (docker exec, tmux, build daemons).

import socket
import sys

from note import note, note_pid

note_pid('client')
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(b'run\n')
connection.recv(50)
note('ready')
connection.recv(1)
