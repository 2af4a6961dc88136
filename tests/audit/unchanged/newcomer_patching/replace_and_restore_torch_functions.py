# quick
# The program replaces functions of torch, calls them, and restores what it saved; the identity at the end is compared.
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
calls = []


def wrap(owner, name):
    original = getattr(owner, name)

    def replacement(*a, **k):
        calls.append(name)
        return original(*a, **k)

    setattr(owner, name, replacement)
    return owner, name, original, replacement


saved = [
    wrap(torch.Tensor, "backward"),
    wrap(torch.optim.SGD, "step"),
    wrap(torch.optim.Optimizer, "zero_grad"),
    wrap(F, "cross_entropy"),
    wrap(nn.Module, "__call__"),
    wrap(torch.utils.data.DataLoader, "__iter__"),
    wrap(torch, "save"),
    wrap(nn.utils, "clip_grad_norm_"),
]
net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in torch.utils.data.DataLoader([(torch.ones(2), 1)] * 2):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
torch.save(net.state_dict(), "w.pt")
print(calls)
for owner, name, original, replacement in saved:
    print(name, getattr(owner, name) is replacement)
    setattr(owner, name, original)
    print(name, getattr(owner, name) is original)
calls.clear()
for x, y in torch.utils.data.DataLoader([(torch.ones(2), 1)] * 2):
    F.cross_entropy(net(x), y).backward()
    opt.step()
print(calls, net.weight.sum().item().hex())
