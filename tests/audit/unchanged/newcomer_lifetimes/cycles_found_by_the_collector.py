# What the garbage collector finds after one epoch: the number of unreachable objects of the program's own classes.
import gc

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.set_num_threads(1)


class Batch:
    def __init__(self, items):
        self.items = torch.stack(items)
        self.me = self  # a cycle


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(1, 1)
        self.last = None

    def forward(self, b):
        self.last = b
        return self.lin(b.items)


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
gc.collect()
gc.disable()
for batch in DataLoader([torch.ones(1)] * 6, batch_size=2, collate_fn=Batch):
    opt.zero_grad()
    net(batch).sum().backward()
    opt.step()
del batch
print(sum(isinstance(o, Batch) for o in gc.get_objects()))
print(gc.collect() > 0, sum(isinstance(o, Batch) for o in gc.get_objects()), len(gc.garbage))
net.last = None
gc.collect()
print(sum(isinstance(o, Batch) for o in gc.get_objects()))
print(gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.get_freeze_count(), len(gc.callbacks))
