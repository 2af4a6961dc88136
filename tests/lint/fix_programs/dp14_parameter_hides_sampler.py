import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

data = TensorDataset(torch.arange(6))
sampler = RandomSampler(data)


def load(sampler=None):
    return DataLoader(data, sampler=sampler, shuffle=True)


torch.manual_seed(0)
print([x.item() for (x,) in load()], len(sampler))
