import torch
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler, TensorDataset

data = TensorDataset(torch.arange(6))
if len(data) > 9:
    sampler = RandomSampler(data)
else:
    sampler = None
torch.manual_seed(0)
print([x.item() for (x,) in DataLoader(data, sampler=sampler, shuffle=True)], SequentialSampler(data) is None)
