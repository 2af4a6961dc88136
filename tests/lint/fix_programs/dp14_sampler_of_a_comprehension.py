import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

data = TensorDataset(torch.arange(16))
sampler = RandomSampler(data)
loaders = [DataLoader(data, sampler=sampler, shuffle=True) for sampler in (None, None)]
torch.manual_seed(0)
print([x.item() for (x,) in loaders[0]], len(sampler))
