# A test that forbids reading the clock, with functions that raise, trains a model without an error.
import os
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
TORCH = os.path.dirname(torch.__file__)
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loader = DataLoader(torch.ones(4, 1), batch_size=2)


def forbid(owner, name):
    original = getattr(owner, name)

    def raises(*a, **k):
        if sys._getframe(1).f_code.co_filename.startswith(TORCH):
            return original(*a, **k)
        raise RuntimeError("the clock must not be read in this test")

    setattr(owner, name, raises)
    return owner, name, original


saved = [
    forbid(time, "time"),
    forbid(time, "monotonic"),
    forbid(time, "perf_counter"),
]
for _ in range(2):
    for x in loader:
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()
for owner, name, original in saved:
    setattr(owner, name, original)
print(net.weight.item().hex())
