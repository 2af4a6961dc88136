import torch
from torch.utils.data import DataLoader as Base
from torch.utils.data import RandomSampler, TensorDataset


class DataLoader(Base):
    def __init__(self, data, sampler=None, shuffle=False):
        print("shuffle", shuffle)
        super().__init__(data, sampler=sampler)


data = TensorDataset(torch.arange(8))
print(len(DataLoader(data, sampler=RandomSampler(data), shuffle=True)))
