import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
total = 0.0
for _ in range(3):
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    total += loss
    last = loss
print(last, f"{total:.4f}")
