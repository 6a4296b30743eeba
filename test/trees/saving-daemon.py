# A main program that leaves a daemon behind, which takes 200 ms to save what it has once it is told to end. Each notes
# every SIGTERM that it gets. On SIGTERM the main program `obey`s, ending with 5, or is `deaf`; or it `end`s by itself
# with 5 as soon as the daemon is there.

import signal
import sys
import time

from note import append, daemonise, folder_exists, note, wait_for

asked = []


def stay(role, listening):
    def handler(*_):
        append(f'terms.{role}', 'TERM')
        asked.append(True)

    signal.signal(signal.SIGTERM, handler)
    note(listening)
    while folder_exists() and not asked:
        time.sleep(0.005)


def save():
    stay('daemon', 'daemon')
    end = time.monotonic() + 0.2
    while time.monotonic() < end:
        time.sleep(0.01)
    note('mark.saved')


daemonise(save)
wait_for('daemon')
if sys.argv[1] == 'obey':
    stay('main', 'ready')
elif sys.argv[1] == 'deaf':
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    note('ready')
    while folder_exists():
        time.sleep(0.05)
else:
    note('ready')
sys.exit(5)
