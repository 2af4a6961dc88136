# Peak memory stays small over many steps, tensors die at once, and the recursion limit is the program's own.
import sys
import tracemalloc

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-4)
loader = DataLoader(torch.ones(40, 4), batch_size=2)


def epoch():
    for x in loader:
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()


for _ in range(5):
    epoch()
tracemalloc.start(1)
tracemalloc.reset_peak() if hasattr(tracemalloc, "reset_peak") else None
for _ in range(3):
    epoch()
one = tracemalloc.take_snapshot()
for _ in range(10):
    epoch()
two = tracemalloc.take_snapshot()
mine = [tracemalloc.Filter(True, __file__)]
grown = sum(s.size_diff for s in two.filter_traces(mine).compare_to(one.filter_traces(mine), "filename"))
everything = sum(s.size_diff for s in two.compare_to(one, "filename"))
print(grown < 2000, everything < 60000)
tracemalloc.stop()
big = []


class Big(nn.Module):
    def forward(self, x):
        big.append(x.untyped_storage().nbytes() if hasattr(x, "untyped_storage") else 0)
        return x * 2


seq = nn.Sequential(*[Big() for _ in range(4)])
with torch.no_grad():
    seq(torch.zeros(1000, 1000))
print(big[0] in (0, 4000000), sys.getrecursionlimit())


def deep(n):
    return n if n == 0 else deep(n - 1)


print(deep(900))
sys.setrecursionlimit(300)
try:
    deep(2000)
except RecursionError as e:
    print(str(e)[:32])
epoch()
print(sys.getrecursionlimit())
