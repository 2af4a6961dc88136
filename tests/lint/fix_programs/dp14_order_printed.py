import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

data = TensorDataset(torch.arange(8))
sampler = DistributedSampler(data, num_replicas=1, rank=0)
loader = DataLoader(data, sampler=sampler)
for epoch in range(2):
    print(epoch, [x.item() for (x,) in loader])
