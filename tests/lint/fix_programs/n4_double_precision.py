import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1).double()
other = nn.Linear(2, 1)
total = 0.0
for step in range(3):
    loss = model(torch.ones(1, 2).double()).sum() if step % 2 else other(torch.ones(1, 2)).sum()
    loss.backward()
    total += loss
    print(total.item(), total.detach().dtype)
