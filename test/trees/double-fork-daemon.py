# C10: the classic daemon: fork, setsid, fork again, the one in the middle gone, output on /dev/null. The leader stays.
# C11, with argument `unmarked`: the daemon also drops whatever a search could go by: its environment, its name, its
# folder. Only being its subreaper, or a cgroup, still finds it.

import os
import sys

from note import daemonise, linger, note, note_pid


def daemon():
    note_pid('daemon')
    note('ready')
    if 'unmarked' in sys.argv:
        os.execve('/bin/sleep', ['kworker-u8', '60'], {})
    linger()


note_pid('leader')
daemonise(daemon)
linger()
