import torch
from torch.utils.data import DataLoader, TensorDataset


def first():
    batches = iter(DataLoader(TensorDataset(torch.arange(4))))
    return batches.next()
