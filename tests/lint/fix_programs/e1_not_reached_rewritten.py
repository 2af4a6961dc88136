import torch
from torch.utils.data import DataLoader, TensorDataset


def first_by_hand(loader):
    batches = iter(loader)
    return "größe", batches.next(), (batches if batches else None) is batches; batches


loader = DataLoader(TensorDataset(torch.arange(4)))
if len(loader) > 9:
    print(first_by_hand(loader))
print(len(loader), next(iter(loader)))
