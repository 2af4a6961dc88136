# The handler is a lambda that throws through a generator and a library function.
import signal
import time

import torch
from torch.utils.data import DataLoader


class Timeout(Exception):
    pass


def guard():
    yield
    raise Timeout


def thrower():
    generator = guard()
    next(generator)
    return lambda number, frame: generator.send(None)


lost = 0
data = [torch.ones(4) for _ in range(64)]
for number in range(200):
    signal.signal(signal.SIGALRM, thrower())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005 + 0.00002 * number)
        end = time.monotonic() + 5
        while time.monotonic() < end and signal.getitimer(signal.ITIMER_REAL)[0]:
            for _ in DataLoader(data, 4):
                pass
        lost += 1
    except Timeout:
        pass
print("lost", lost)
