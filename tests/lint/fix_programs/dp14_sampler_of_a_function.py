import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset
data = TensorDataset(torch.arange(4.0))

def make(many):
    return RandomSampler(data) if many else None
sampler = make(False)
torch.manual_seed(0)
print([x.item() for (x,) in DataLoader(data, shuffle=True, sampler=sampler)])
