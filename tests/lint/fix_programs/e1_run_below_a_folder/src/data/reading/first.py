import torch
from torch.utils.data import DataLoader


def first():
    batches = iter(DataLoader([1, 2, 3]))
    return batches.next()


print(first())
