import torch
from torch.utils.data import DataLoader, TensorDataset

batches = iter(DataLoader(TensorDataset(torch.arange(4))))
print(batches.next())
