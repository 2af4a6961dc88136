# What the garbage collector finds after a training: no cycles of its own.
import gc

import torch
from torch.utils.data import DataLoader, TensorDataset


def train():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for (x,) in DataLoader(TensorDataset(torch.ones(8, 2)), 4):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), torch.zeros(4, 1)).backward()
        optimizer.step()


train()
gc.collect()
before = sum(isinstance(value, torch.Tensor) for value in gc.get_objects())
train()
gc.collect()
print(sum(isinstance(value, torch.Tensor) for value in gc.get_objects()) - before)
gc.set_debug(gc.DEBUG_SAVEALL)
train()
gc.collect()
gc.set_debug(0)
print(
    sorted(
        {
            type(value).__name__
            for value in gc.garbage
            if type(value).__module__.startswith(("torch", "__main__"))
        }
    )
)
gc.garbage.clear()
