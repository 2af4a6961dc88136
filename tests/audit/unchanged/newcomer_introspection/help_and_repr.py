# help() of the program's own classes, repr of models, optimizers, loaders, schedulers and bound methods.
import io
import pydoc
import re

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Sequential):
    """A small net."""

    def extra(self, x, *, y=1):
        """Does nothing."""


class Opt(torch.optim.SGD):
    """A small optimizer."""

    def step(self, closure=None):
        """Steps."""
        return super().step(closure)


net = Net(nn.Linear(1, 2), nn.ReLU())
opt = Opt(net.parameters(), lr=0.5)
for x in DataLoader(torch.ones(2, 1)):
    opt.zero_grad()
    net(x).sum().backward()
    opt.step()
text = pydoc.plain(pydoc.render_doc(Net)).split("Methods inherited from")[0]
print(text)
text = pydoc.plain(pydoc.render_doc(Opt.step))
print(text)
print(net, opt, sep="\n")


def clean(o):
    return re.sub(r"0x[0-9a-f]+", "0x", repr(o))


loader = DataLoader([1])
for o in (opt.step, net.forward, net.train, opt.zero_grad, loader, iter(loader), loader.__iter__, DataLoader, net.__call__, x, net(x),
          net(x).sum().backward, nn.functional.cross_entropy, torch.save, torch.optim.SGD, nn.Module, type(iter(loader))):
    print(clean(o).replace("\n", " ")[:150])
out = io.StringIO()
pydoc.Helper(output=out).help(Net.extra)
print(out.getvalue())
