import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
total = 0.0
for _ in range(2):
    loss = model(torch.ones(1, 2)).pow(2).sum()
    loss.backward()
    total += loss
print(total > 0, total == total, (total > 0).requires_grad, -total)
