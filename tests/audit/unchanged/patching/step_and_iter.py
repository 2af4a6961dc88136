# quick
# The program replaces SGD.step, DataLoader.__iter__ and torch.save, and takes the patches back in its own order.
import io

import torch
from torch.utils.data import DataLoader, TensorDataset

kept = torch.optim.SGD.step, DataLoader.__iter__, torch.save
said = []


def step(self, *args, **kwargs):
    said.append("step")
    return kept[0](self, *args, **kwargs)


def iterate(self):
    said.append("iter")
    return kept[1](self)


def save(*args, **kwargs):
    said.append("save")
    return kept[2](*args, **kwargs)


model = torch.nn.Linear(2, 1)
loader = DataLoader(TensorDataset(torch.ones(4, 2)), 2)


def train():
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for (x,) in loader:
        model(x).sum().backward()
        optimizer.step()
    torch.save(model.state_dict(), io.BytesIO())


torch.optim.SGD.step, DataLoader.__iter__, torch.save = step, iterate, save
train()
DataLoader.__iter__ = kept[1]
train()
torch.save = kept[2]
torch.optim.SGD.step = kept[0]
train()
print(said)
