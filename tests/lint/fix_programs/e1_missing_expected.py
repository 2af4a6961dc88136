import torch
from torch.utils.data import DataLoader, TensorDataset

batches = iter(DataLoader(TensorDataset(torch.arange(8))))
try:
    print("old", batches.next())
except AttributeError:
    print("new")
