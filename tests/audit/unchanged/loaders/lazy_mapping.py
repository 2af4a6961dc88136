# A batch is a mapping that loads what is asked for.
import collections.abc

import torch
from torch.utils.data import DataLoader


class Lazy(collections.abc.Mapping):
    def __init__(self, values):
        self.values_of = values

    def __getitem__(self, key):
        print("load", key)
        return self.values_of[key]

    def __iter__(self):
        print("iterate")
        return iter(self.values_of)

    def __len__(self):
        print("length")
        return len(self.values_of)


def collate(samples):
    return Lazy({"x": torch.stack(samples), "unused": torch.zeros(1)})


model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for batch in DataLoader([torch.full((2,), float(i)) for i in range(8)], 4, collate_fn=collate):
    optimizer.zero_grad()
    model(batch["x"]).mean().backward()
    optimizer.step()
