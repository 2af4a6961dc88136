# ends: 7
# The program replaces itself by another Python.
import os
import sys

import torch

if len(sys.argv) < 2:
    torch.nn.Linear(2, 1)
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, __file__, "again"])
layer = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
layer(torch.ones(1, 2)).sum().backward()
optimizer.step()
print("second", tuple(layer.weight.shape), flush=True)
os._exit(7)
