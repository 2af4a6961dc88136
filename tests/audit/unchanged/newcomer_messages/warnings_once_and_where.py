# Which warnings a program sees, in which line of which file, how often, and what the filters do with them.
import os
import sys
import warnings

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
seen = []


def show(message, category, filename, lineno, file=None, line=None):
    own = os.path.basename(filename) == os.path.basename(__file__)
    seen.append((category.__name__, lineno if own else os.path.basename(filename), str(message)[:40]))


warnings.showwarning = show
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.StepLR(opt, 1)
for _ in range(2):
    sched.step()
    for x in DataLoader(torch.ones(2, 1)):
        out = net(x)
        loss = nn.functional.mse_loss(out, torch.ones(1))  # sizes differ: torch warns
        nn.functional.softmax(out)  # an implicit dim: torch warns
        opt.zero_grad()
        loss.backward()
        opt.step()
    (out * 2).grad  # not a leaf: torch warns
    warnings.warn("mine", stacklevel=1)
for s in seen:
    print(*s)
print(warnings.showwarning is show, len([f for f in warnings.filters if f[0] == "error"]), sorted(globals().get("__warningregistry__", {}), key=str) != [])
warnings.simplefilter("error")
for act in (lambda: nn.functional.softmax(net(torch.ones(1, 1))), lambda: nn.functional.mse_loss(net(torch.ones(2, 1)), torch.ones(1)),
            lambda: [b for b in DataLoader(torch.ones(2, 1))], lambda: torch.optim.lr_scheduler.StepLR(opt, 1).step(), opt.step):
    try:
        act()
        print("quiet")
    except Warning as e:
        print(type(e).__name__, str(e)[:50])
sys.stdout.flush()
