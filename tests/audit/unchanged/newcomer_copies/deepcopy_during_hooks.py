# Deep copies of model, optimizer, loader and loss function inside a hook, inside forward and between batches.
import copy

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
copies = []


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(1, 1)
        self.history = []

    def forward(self, x):
        out = self.lin(x)
        if len(self.history) < 2:
            self.history.append(x.sum().item())
            copies.append(copy.deepcopy(self))
        return out

    def __deepcopy__(self, memo):
        print("deepcopy", len(memo))
        new = Net.__new__(Net)
        new.__dict__.update({k: copy.deepcopy(v, memo) for k, v in self.__dict__.items() if k != "history"})
        new.history = list(self.history)
        return new


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
net.lin.register_forward_hook(lambda m, a, o: copies.append(copy.copy(m)))
loader = DataLoader(torch.arange(4.0).unsqueeze(1), batch_size=2)
it = iter(loader)
for _ in range(2):
    x = next(it)
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
    copies.append(copy.deepcopy(loader))
print([type(c).__name__ for c in copies])
twin, twin_opt = copy.deepcopy((net, opt))
print(twin_opt.param_groups[0]["params"][0] is twin.lin.weight, len(twin_opt.state), len(opt.state))
for n, o in ((net, opt), (twin, twin_opt)):
    for x in copy.copy(loader):
        o.zero_grad()
        n(x).sum().backward()
        o.step()
    print(n.lin.weight.item().hex(), sorted(vars(o)) == sorted(vars(opt)))
try:
    copy.deepcopy(net.lin.weight * 2)
except RuntimeError as e:
    print(str(e)[:60])
try:
    copy.copy(it)
    print("copied an iterator")
except Exception as e:
    print(type(e).__name__, str(e)[:60])
