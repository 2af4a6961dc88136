import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

sampler = None
data = TensorDataset(torch.arange(8))


def size():
    global sampler
    sampler = RandomSampler(data)
    return 2


loader = DataLoader(data, sampler=sampler, batch_size=size(), shuffle=True)
print(type(loader.sampler).__name__)
