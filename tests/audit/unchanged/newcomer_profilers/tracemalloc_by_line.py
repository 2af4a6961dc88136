# tracemalloc attributes memory to the lines of the program; objects that a collate function made are counted by line.
import gc
import tracemalloc

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)


class Item:
    pass


def collate(items):
    out = Item()
    out.text = ["x" * 1000 + str(i) for i in range(10)]
    out.x = torch.stack(items)
    return out


def epoch():
    for b in loader:
        opt.zero_grad()
        net(b.x).sum().backward()
        opt.step()


loader = DataLoader(torch.ones(6, 1), batch_size=2, collate_fn=collate)
epoch()
tracemalloc.start()
epoch()
gc.collect()
stats = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, __file__)]).statistics("lineno")
print([(s.traceback[0].lineno, s.count) for s in stats if s.size > 900])
kept = [b for b in loader]
stats = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, __file__)]).statistics("lineno")
print([(s.traceback[0].lineno, s.count) for s in stats if s.size > 900])
del kept
gc.collect()
stats = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, __file__)]).statistics("lineno")
print([(s.traceback[0].lineno, s.count) for s in stats if s.size > 900], tracemalloc.is_tracing())
