# The handler of a timeout is a functools.partial of a built-in function's caller.
import functools
import signal
import time

import torch


class Timeout(Exception):
    pass


def fail(kind, number, frame):
    raise kind("time")


signal.signal(signal.SIGALRM, functools.partial(functools.partial(fail), Timeout))
model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(20)])
optimizer = torch.optim.Adam(model.parameters())
x = torch.ones(2, 8)
lost = 0
for number in range(300):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005 + 0.00001 * number)
        end = time.monotonic() + 5
        while time.monotonic() < end and signal.getitimer(signal.ITIMER_REAL)[0]:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), x).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        lost += 1
    except Timeout:
        pass
print("lost", lost)
