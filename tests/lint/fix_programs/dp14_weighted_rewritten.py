import torch
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


def load(data, weights=None):
    if weights is None:
        return DataLoader(data, batch_size=2, shuffle=True)
    return DataLoader(data, batch_size=2, shuffle=True, sampler=WeightedRandomSampler(weights, len(data)))


torch.manual_seed(0)
print([x.tolist() for (x,) in load(TensorDataset(torch.arange(5)))])
