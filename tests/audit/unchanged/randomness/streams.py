# quick
# Random streams of torch, Python and numpy, in the program and in its workers, bit for bit.
import random

import torch
from torch.utils.data import DataLoader


class Items:
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.rand(1).item(), random.random()


torch.manual_seed(1)
random.seed(1)
model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Dropout(0.3), torch.nn.Linear(4, 1))
optimizer = torch.optim.AdamW(model.parameters())
for workers in (0, 2):
    for batch in DataLoader(Items(), 2, shuffle=True, num_workers=workers):
        print([value.hex() for part in batch for value in part.tolist()])
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(torch.randn(4, 2)), torch.rand(4, 1)).backward()
        optimizer.step()
print(torch.rand(1).item().hex(), random.random().hex(), torch.get_rng_state().sum().item())
