import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
data = TensorDataset(torch.arange(4.0))

class Trainer:
    def __init__(self):
        self.warm_up()
        self.sampler = DistributedSampler(data, num_replicas=1, rank=0)
        self.loader = DataLoader(data, sampler=self.sampler)
    def warm_up(self):
        for epoch in range(2):
            print(epoch)
Trainer()
