# When datasets, loaders, iterators, models and losses are deleted, without the garbage collector.
# quick
import gc
import weakref

import torch
from torch.utils.data import DataLoader

gc.disable()


class Items:
    def __init__(self, name):
        self.name = name

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.ones(2)

    def __del__(self):
        print("del", self.name)


def run(name):
    for _ in DataLoader(Items(name), 2):
        pass
    print("after", name)


run("a")
loader = DataLoader(Items("b"), 2)
kept = weakref.ref(loader)
iterator = iter(loader)
next(iterator)
del loader
print("loader is gone", kept() is None)
del iterator
print("iterator is deleted")
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
of_model, of_optimizer = weakref.ref(model), weakref.ref(optimizer)
del model, optimizer
print(of_model() is None, of_optimizer() is None)
x = torch.ones(3, requires_grad=True)
loss = torch.nn.functional.mse_loss(x, x * 2)
of_loss = weakref.ref(loss)
loss.backward()
del loss
print(of_loss() is None)
