import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
total = 0.0
for _ in range(2):
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    total += loss
for _ in range(2):
    penalty = model.weight.pow(2).sum()
    total = total + penalty
print(f"{total:.4f}")
check = [total for total in (1, 2)]
print(check)
