# Replaces methods on classes and instances in the middle of a run; the replaced ones stay, with their own attributes.
import types

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(1, 2), nn.Linear(2, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.1)
loader = DataLoader(torch.ones(4, 1), batch_size=2)


def epoch():
    for x in loader:
        loss = net(x).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item().hex()


print(epoch())


def forward(self, x):
    print("patched forward")
    return 2 * nn.functional.linear(x, self.weight, self.bias)


net[1].forward = types.MethodType(forward, net[1])
opt.step = types.MethodType(lambda self, closure=None: print("patched step"), opt)
print(epoch())
del opt.step
del net[1].forward
print(epoch(), "step" in vars(opt), "forward" in vars(net[1]))


def my_iter(self):
    print("patched iter")
    return iter([torch.zeros(1, 1)])


my_iter.mark = "mine"
original = DataLoader.__iter__
DataLoader.__iter__ = my_iter
print(epoch(), DataLoader.__iter__.mark, DataLoader.__iter__ is my_iter)
DataLoader.__iter__ = original
print(epoch(), DataLoader.__iter__ is original)
call = nn.Module.__call__
nn.Module.__call__ = lambda self, *a, **k: call(self, *a, **k)
mine = nn.Module.__call__
print(epoch(), nn.Module.__call__ is mine)
nn.Module.__call__ = call
