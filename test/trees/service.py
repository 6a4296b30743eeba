# C57: a command that leaves a service behind on purpose (a build daemon, a tunnel): double fork, own session, a
# heartbeat. Bounded: a minute, or until the folder is gone.

import time

from note import LIFETIME, daemonise, folder_exists, note, note_pid, wait_for


def serve():
    note_pid('service')
    note('beat', 0)
    note('ready')
    for beat in range(LIFETIME * 20):
        if not folder_exists():
            return
        note('beat', beat)
        time.sleep(0.05)


daemonise(serve)
wait_for('ready')
print('service started', flush=True)
