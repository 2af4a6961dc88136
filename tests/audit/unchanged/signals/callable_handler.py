# The handler of a timeout is an object: each of its exceptions arrives.
import signal
import time

import torch


class Timeout(Exception):
    pass


class Handler:
    def __call__(self, number, frame):
        raise Timeout


torch.set_grad_enabled(False)
model = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(20)])
x = torch.ones(2, 4)


def lose_none(rounds):
    lost = 0
    for number in range(rounds):
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.0005 + 0.00001 * number)
            while signal.getitimer(signal.ITIMER_REAL)[0]:
                torch.nn.functional.mse_loss(model(x), x)
            time.sleep(1)
            lost += 1
        except Timeout:
            pass
    return lost


signal.signal(signal.SIGALRM, Handler())
print("lost", lose_none(400))
