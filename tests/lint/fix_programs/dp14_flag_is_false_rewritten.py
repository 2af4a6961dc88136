import torch
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler, TensorDataset


def load(data, drop_last=False):
    batches = BatchSampler(SequentialSampler(data), batch_size=3, drop_last=drop_last)
    return DataLoader(data, batch_sampler=batches, drop_last=drop_last)


data = TensorDataset(torch.arange(7))
make = load
print(len(make(data)), len(make(data, False)))
if len(data) < 5:
    print(load(data, True))
