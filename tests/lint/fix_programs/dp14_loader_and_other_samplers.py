import torch
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, TensorDataset
data = TensorDataset(torch.arange(4.0))

def one():
    loader = DataLoader(data, sampler=DistributedSampler(data, num_replicas=1, rank=0))
    for epoch in range(2):
        print(len(loader))
def two(many):
    sampler = DistributedSampler(data, num_replicas=2, rank=0) if many else RandomSampler(data)
    loader = DataLoader(data, sampler=sampler)
    for epoch in range(2):
        print(len(loader))
def three():
    sampler = DistributedSampler(data, num_replicas=1, rank=0)
    loader = DataLoader(data, sampler=sampler)
    sampler = None
    for epoch in range(2):
        print(len(loader))
def four():
    sampler = DistributedSampler(data, num_replicas=1, rank=0)
    loader = DataLoader(data, sampler=sampler)
    for epoch in ("a", "b"):
        print(epoch, len(list(loader)))
def five():
    sampler = DistributedSampler(data, num_replicas=1, rank=0)
    loader = DataLoader(data, sampler=sampler)
    for epoch in range(2): \
    print(epoch)
one(), two(False), three(), four(), five()
