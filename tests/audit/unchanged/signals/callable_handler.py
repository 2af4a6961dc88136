# The handler of a timeout is an object: each of its exceptions arrives.
# quick
import signal
import time

import torch


class Timeout(Exception):
    pass


class Handler:
    def __call__(self, number, frame):
        raise Timeout


def lose_none(rounds):
    lost = 0
    model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(20)])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    x = torch.ones(2, 8)
    for number in range(rounds):
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.0005 + 0.00001 * number)
            end = time.monotonic() + 5
            while time.monotonic() < end and signal.getitimer(signal.ITIMER_REAL)[0]:
                loss = torch.nn.functional.mse_loss(model(x), x)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            lost += 1
        except Timeout:
            pass
    return lost


signal.signal(signal.SIGALRM, Handler())
print("lost", lose_none(500))
