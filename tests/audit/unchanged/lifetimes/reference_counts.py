# Reference counts of what a training uses, at the end of each step.
import gc
import sys

import torch
from torch.utils.data import DataLoader

gc.disable()
torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = [torch.ones(2) for _ in range(8)]
for _ in range(3):
    for x in DataLoader(data, 4):
        loss = torch.nn.functional.mse_loss(model(x), torch.zeros(4, 1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print([sys.getrefcount(value) for value in (x, loss, model, optimizer, data)])
