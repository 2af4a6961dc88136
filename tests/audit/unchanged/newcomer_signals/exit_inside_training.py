# sys.exit inside forward, inside a hook and inside a collate function; atexit handlers run in their order; the code is 17.
# ends: 17
import atexit
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(1, 1)
        self.stop = False

    def forward(self, x):
        if self.stop:
            sys.exit("from forward")
        return self.lin(x)


def collate(items):
    if items[0] > 2:
        sys.exit(17)
    return torch.stack(items)


atexit.register(print, "registered first")
net = Net()
atexit.register(lambda: print("registered second", net.training))
net.stop = True
try:
    net(torch.ones(1, 1))
except SystemExit as e:
    print("caught", e.code)
net.stop = False
handle = net.lin.weight.register_hook(lambda g: sys.exit("from a hook"))
try:
    net(torch.ones(1, 1)).sum().backward()
except SystemExit as e:
    print("caught", e.code)
handle.remove()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in DataLoader(torch.arange(6.0).unsqueeze(1), batch_size=2, collate_fn=collate):
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
    print(net.lin.weight.item().hex())
