# The handler of a timeout is a functools.partial.
import functools
import signal
import time

import torch


class Timeout(Exception):
    pass


def fail(kind, number, frame):
    raise kind("time")


torch.set_grad_enabled(False)
signal.signal(signal.SIGALRM, functools.partial(functools.partial(fail), Timeout))
model = torch.nn.Sequential(*[torch.nn.Dropout(0.1) for _ in range(40)])
x = torch.ones(2, 4)
lost = 0
for number in range(300):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005 + 0.00001 * number)
        while signal.getitimer(signal.ITIMER_REAL)[0]:
            torch.nn.functional.cross_entropy(model(x), torch.tensor([0, 1]))
        time.sleep(1)
        lost += 1
    except Timeout:
        pass
print("lost", lost)
