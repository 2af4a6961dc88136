# Warnings go to standard error with the line that they are about.
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

torch.manual_seed(0)
layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
scheduler.step()
for x in DataLoader(torch.ones(4, 1), 2):
    optimizer.zero_grad()
    F.mse_loss(layer(x), torch.ones(2)).backward()
    optimizer.step()
loss = layer(torch.ones(1, 1))
loss.grad
