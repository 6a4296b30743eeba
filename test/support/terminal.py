# Plays a terminal: a PTY, a session leader on it that acts as the shell, and the program under test as its job, in
# the foreground or in the background. Types what the steps say, each once its text was seen, and reports as JSON.
#
# usage: terminal.py '{"argv": [...], "background": false, "steps": [{"expect": "...", "send": "..."}], "deadline": 20}'
# answer: {"output", "code", "signal", "stopped", "timedOut"}

import json
import os
import pty
import select
import signal
import sys
import time


def shell(spec, report):
    """The session leader. Its job gets a group of its own, and the terminal unless it is a background job."""
    # Its terminal's keys are not for the shell, and it hands the terminal over from the background.
    for name in (signal.SIGINT, signal.SIGQUIT, signal.SIGTTOU):
        signal.signal(name, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        if not spec.get('background'):
            os.tcsetpgrp(0, os.getpid())
        # SIGPIPE and SIGXFSZ are ignored by Python itself; a program under test must not inherit that either.
        for name in (signal.SIGINT, signal.SIGQUIT, signal.SIGTTOU, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(name, signal.SIG_DFL)
        os.execvp(spec['argv'][0], spec['argv'])
    os.write(report, (json.dumps({'job': job}) + '\n').encode())
    stopped = False
    while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            break
        stopped = True
        os.kill(job, signal.SIGKILL)
    exited = os.WIFEXITED(status)
    os.write(report, json.dumps({
        'code': os.WEXITSTATUS(status) if exited else None,
        'signal': None if exited else signal.Signals(os.WTERMSIG(status)).name,
        'stopped': stopped,
    }).encode())


def main():
    spec = json.loads(sys.argv[1])
    reports, report = os.pipe()
    leader, terminal = pty.fork()
    if leader == 0:
        os.close(reports)
        shell(spec, report)
        os._exit(0)
    os.close(report)

    steps = list(spec.get('steps', []))
    end = time.monotonic() + spec.get('deadline', 20)
    output, seen, told, timed_out = b'', 0, b'', False
    open_ends = {terminal, reports}
    while open_ends:
        left = end - time.monotonic()
        if left <= 0:
            timed_out = True
            job = json.loads(told.split(b'\n')[0])['job']
            os.kill(job, signal.SIGKILL)
            end = time.monotonic() + 2
        for fd in select.select(list(open_ends), [], [], max(left, 0.1))[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                data = b''  # A PTY ends with EIO.
            if not data:
                open_ends.discard(fd)
                if fd == reports:
                    # The job is over; whoever else holds the terminal open isn't waited for.
                    open_ends.clear()
            elif fd == terminal:
                output += data
            else:
                told += data
        while steps and (at := output.find(steps[0]['expect'].encode(), seen)) >= 0:
            seen = at + len(steps[0]['expect'])
            if 'send' in steps[0]:
                os.write(terminal, steps[0]['send'].encode())
            steps.pop(0)
    output += rest_of(terminal)
    os.close(terminal)
    os.waitpid(leader, 0)
    print(json.dumps({
        **json.loads(told.split(b'\n')[1]),
        'output': output.decode(errors='replace'),
        'timedOut': timed_out,
    }))


def rest_of(terminal):
    rest = b''
    while select.select([terminal], [], [], 0.05)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        rest += data
    return rest


main()
