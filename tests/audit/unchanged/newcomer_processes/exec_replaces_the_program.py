# The program trains, then replaces itself by another Python with os.execv; environment, descriptors and exit code stay.
# ends: 12
import os
import sys

import torch
from torch import nn

torch.set_num_threads(1)
if len(sys.argv) > 1:
    print("second life", sys.argv[1:], os.environ["MINE"], os.read(int(sys.argv[2]), 100))
    sys.stdout.flush()
    net = nn.Linear(1, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(1, 1)).sum().backward()
    opt.step()
    os._exit(12)
torch.manual_seed(0)
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(1, 1)).sum().backward()
opt.step()
print(net.weight.item().hex(), flush=True)
r, w = os.pipe()
os.set_inheritable(r, True)
os.write(w, b"through the pipe")
os.environ["MINE"] = "kept"
os.execv(sys.executable, [sys.executable, os.path.abspath(__file__), "again", str(r)])
