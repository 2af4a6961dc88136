import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

data = TensorDataset(torch.arange(6))
torch.manual_seed(0)
for weighted in (False, False):
    sampler = RandomSampler(data) if weighted else None
    print([x.item() for (x,) in DataLoader(data, sampler=sampler, shuffle=True)])
