# Lists, dicts and strings of the program that report every read, used as param groups, options, outputs and state.
import collections

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
log = []


class Text(str):
    def __str__(self):
        log.append("str")
        return super().__str__()

    def __eq__(self, other):
        log.append("text eq")
        return super().__eq__(other)

    def __hash__(self):
        return super().__hash__()

    def lower(self):
        log.append("lower")
        return super().lower()


class Output(collections.OrderedDict):
    def __getattr__(self, name):
        log.append("attr " + name)
        raise AttributeError(name)

    def values(self):
        log.append("values")
        return super().values()

    def __iter__(self):
        log.append("iter")
        return super().__iter__()

    def __len__(self):
        log.append("len")
        return super().__len__()

    def get(self, *a):
        log.append("get")
        return super().get(*a)

    def __contains__(self, k):
        log.append(f"contains {k}")
        return super().__contains__(k)


class Lazy(list):
    def __iter__(self):
        log.append("list iter")
        return super().__iter__()

    def __getitem__(self, i):
        log.append("list get")
        return super().__getitem__(i)

    def __len__(self):
        log.append("list len")
        return super().__len__()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(1, 2)
        self.label = Text("label")

    def forward(self, batch, mode=None):
        out = Output()
        dict.__setitem__(out, "logits", self.lin(list.__getitem__(batch, 0)))
        return out


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for batch in DataLoader([torch.ones(1)] * 4, batch_size=2, collate_fn=lambda s: Lazy([torch.stack(s)])):
    print("batch", log)
    log.clear()
    out = net(batch, mode=Text("train"))
    print("forward", log)
    log.clear()
    loss = nn.functional.cross_entropy(dict.__getitem__(out, "logits"), torch.tensor([0, 1]), reduction=Text("mean"))
    print("loss", [x for x in log if x != "text eq"])
    log.clear()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print("step", log, loss.item().hex())
    log.clear()
