# C56: the server that does the client's work. It is started before, by somebody else: nobody's descendant here.

import socket
import subprocess

from note import DIR, LIFETIME, note, note_pid

server = socket.socket(socket.AF_UNIX)
server.bind(f'{DIR}/socket')
server.listen(1)
server.settimeout(LIFETIME)
note_pid('server')
note('listening')
client, _ = server.accept()
client.recv(10)
work = subprocess.Popen(['sleep', str(LIFETIME)])
note('pid.work', work.pid)
client.sendall(b'running\n')
work.wait()
