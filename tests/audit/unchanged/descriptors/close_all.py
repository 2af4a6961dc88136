# A daemonizing library closes all descriptors; the program then opens files of its own.
# quick
import os

import torch
from torch.utils.data import DataLoader, TensorDataset

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(torch.ones(4, 2)), torch.ones(4, 1)).backward()
    optimizer.step()
os.closerange(3, 256)
mine = [open(f"mine{number}", "w+") for number in range(12)]
for _ in range(3):
    for x, y in DataLoader(TensorDataset(torch.ones(8, 2), torch.ones(8)), 4):
        torch.nn.functional.l1_loss(model(x), y.unsqueeze(1)).backward()
        optimizer.step()
        torch.nn.functional.mse_loss(torch.ones(2, 1), torch.ones(2, 1))
print([file.seek(0, 2) for file in mine])
