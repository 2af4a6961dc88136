import torch
from torch.utils.data import DataLoader, Sampler, TensorDataset


class Optional(Sampler):
    def __new__(cls, *args):
        return None


data = TensorDataset(torch.arange(8))
print(type(DataLoader(data, sampler=Optional(data), shuffle=True).sampler).__name__)
