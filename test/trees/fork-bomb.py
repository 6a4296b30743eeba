# A fork bomb: every member is deaf to SIGTERM, leads a session of its own and forks as fast as it may. `ready` once a
# limit has refused it. It leaves the CPU to others. Start it below a limit of processes only.

import os
import signal
import time

from note import LIFETIME, folder_exists, ignore, note, note_pid

END = time.monotonic() + LIFETIME
is_leader = True

os.nice(19)
ignore(signal.SIGTERM)
note_pid('leader')
while time.monotonic() < END:
    try:
        child = os.fork()
    except BlockingIOError:
        if is_leader and not os.path.exists(f'{os.environ["TREE_DIR"]}/ready'):
            note('ready')
        if not folder_exists():
            break
        time.sleep(0.005)
        continue
    if child == 0:
        is_leader = False
        os.setsid()
