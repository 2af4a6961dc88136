# disk: 1m
# The file system of temporary files is full while the program trains.
import os
import tempfile

import torch
from torch.utils.data import DataLoader, TensorDataset

file = open(os.path.join(tempfile.gettempdir(), "filling"), "wb", buffering=0)
try:
    while True:
        file.write(b"x" * 4096)
except OSError as error:
    print(error.errno)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    for (x,) in DataLoader(TensorDataset(torch.ones(16, 2)), 4):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), torch.ones(4, 1)).backward()
        optimizer.step()
print("trained")
