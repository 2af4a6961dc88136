# The handler is a lambda that lets a generator raise.
import signal
import time

import torch


class Timeout(Exception):
    pass


def guard():
    yield
    raise Timeout


def thrower():
    generator = guard()
    next(generator)
    return lambda number, frame: generator.send(None)


torch.set_grad_enabled(False)
model = torch.nn.Sequential(*[torch.nn.Identity() for _ in range(60)])
x = torch.ones(1, 4)
lost = 0
for number in range(300):
    signal.signal(signal.SIGALRM, thrower())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005 + 0.00001 * number)
        while signal.getitimer(signal.ITIMER_REAL)[0]:
            torch.nn.functional.l1_loss(model(x), x)
        time.sleep(1)
        lost += 1
    except Timeout:
        pass
print("lost", lost)
