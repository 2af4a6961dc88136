import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.arange(4.0))

def make():
    sampler = None
    return {"sampler": sampler}
def load(batch_sampler=None, shuffle=True):
    options = make()
    return DataLoader(data, batch_size=2, shuffle=shuffle, batch_sampler=batch_sampler, **options)
print(len(load()))
