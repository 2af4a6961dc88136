# A dataset that logs which attributes it does not have are asked for.
import torch
from torch.utils.data import DataLoader


class Spy:
    def __init__(self, name):
        self.name = name

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.ones(1)

    def __getattr__(self, name):
        print(self.name, "has no", name)
        raise AttributeError(name)


model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    for x in DataLoader(Spy("dataset"), 2):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
