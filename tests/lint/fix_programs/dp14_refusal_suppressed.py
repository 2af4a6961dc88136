import contextlib

import torch
from torch.utils.data import DataLoader, SequentialSampler, TensorDataset

data = TensorDataset(torch.arange(8))
loader = None
with contextlib.suppress(ValueError):
    loader = DataLoader(data, shuffle=True, sampler=SequentialSampler(data))
print(loader)
