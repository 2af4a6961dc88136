import torch
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset


def load(data, by_batch):
    if by_batch:
        batches = BatchSampler(RandomSampler(data), 2, drop_last=False)
        return DataLoader(data, batch_sampler=batches, drop_last=True)
    return DataLoader(data, sampler=RandomSampler(data), shuffle=True)


data = TensorDataset(torch.arange(4))
if len(data) > 9:
    print(len(load(data, True)), len(load(data, False)))
print(sorted(x.item() for (x,) in DataLoader(data)))
