import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.dataloader import _BaseDataLoaderIter

_BaseDataLoaderIter.next = lambda self: ("patched", next(self))
batches = iter(DataLoader(TensorDataset(torch.arange(8))))
print(batches.next())
