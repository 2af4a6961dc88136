import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

original = DataLoader.__init__


def patched(self, data, shuffle=None, **options):
    print("shuffle", shuffle)
    original(self, data, **options)


DataLoader.__init__ = patched
data = TensorDataset(torch.arange(8))
print(len(DataLoader(data, sampler=RandomSampler(data), shuffle=True)))
