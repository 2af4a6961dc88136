# A fork in the middle of a training: both go on, and the child ends by os._exit, by sys.exit and by a signal.
import os
import signal
import sys

import torch

layer = torch.nn.Linear(2, 1)
torch.nn.init.ones_(layer.weight)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)


def step():
    optimizer.zero_grad()
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()


for end in (lambda: os._exit(3), lambda: sys.exit(4), lambda: os.kill(os.getpid(), signal.SIGKILL)):
    step()
    pid = os.fork()
    if pid == 0:
        step()
        print("child", round(layer.weight.sum().item(), 3), flush=True)
        end()
    print("ended", os.waitpid(pid, 0)[1])
print(round(layer.weight.sum().item(), 3))
