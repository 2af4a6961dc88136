"""The second batch is never read: its error is lost in the worker."""
import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset


def collate(samples):
    if samples[0] == 1:
        data = TensorDataset(torch.arange(8))
        DataLoader(data, sampler=RandomSampler(data), shuffle=True)
        print("collated", flush=True)
    return samples


loader = DataLoader([0, 1], 1, False, None, None, 1, collate)
print(next(iter(loader)), flush=True)
import time

time.sleep(1)
