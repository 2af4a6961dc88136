import torch
from torch import nn


class Sums:
    total = 1

    def __init__(self):
        self.value = 2


torch.manual_seed(0)
model = nn.Linear(2, 1)
total = 0.0
for _ in range(2):
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    total += loss
print(f"{total / 2:+.3f}", float(total), Sums().value)
