import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def old_epoch(model, loader):
    batches = iter(loader)
    losses = []
    for _ in range(len(loader)):
        (inputs,) = batches.next()
        losses.append(model(inputs).sum().item())
    return losses


def new_epoch(model, loader):
    return [model(inputs).sum().item() for (inputs,) in loader]


torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(4, 2)), batch_size=2)
epoch = new_epoch if len(loader) == 2 else old_epoch
print(epoch(nn.Linear(2, 1), loader))
