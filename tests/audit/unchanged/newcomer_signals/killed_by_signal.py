# A training program that kills itself with SIGTERM while atexit handlers and finally blocks wait: none of them runs.
# ends: -15
import atexit
import os
import signal

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
atexit.register(print, "atexit")
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
try:
    for i in range(3):
        opt.zero_grad()
        net(torch.ones(1, 2)).sum().backward()
        opt.step()
        print(i, net.weight.tolist(), flush=True)
    print("lost in the buffer")
    os.kill(os.getpid(), signal.SIGTERM)
finally:
    print("finally")
