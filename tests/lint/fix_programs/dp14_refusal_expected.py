import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

data = TensorDataset(torch.arange(8))
try:
    DataLoader(data, sampler=RandomSampler(data), shuffle=True)
    print("accepted")
except ValueError:
    print("refused")
