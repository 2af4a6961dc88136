import torch
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler, TensorDataset

data = TensorDataset(torch.arange(4))
loaders = {
    name: DataLoader(data, batch_sampler=BatchSampler(sampler, 2, True), drop_last=True, shuffle=True)
    for name, sampler in zip((), (RandomSampler(data), SequentialSampler(data)))
}
print(loaders, len(data))
