# C49: counts the SIGINTs that it gets. It waits a while after the last one, says how many there were, and ends.

import signal
import time

WINDOW = 0.4
PATIENCE = 20

last = None
count = 0


def interrupted(*_):
    global count, last
    count += 1
    last = time.monotonic()


signal.signal(signal.SIGINT, interrupted)
print('counting', flush=True)
end = time.monotonic() + PATIENCE
while time.monotonic() < end and (last is None or time.monotonic() - last < WINDOW):
    time.sleep(0.01)
print(f'interrupts: {count}', flush=True)
