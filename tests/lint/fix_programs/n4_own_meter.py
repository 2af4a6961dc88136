import torch
from torch import nn


class Meter:
    def __init__(self):
        self.total = 0.0

    def update(self, value):
        self.total += value


torch.manual_seed(0)
model, meter = nn.Linear(2, 1), Meter()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    optimizer.step()
    meter.update(loss)
print(meter.total, vars(meter))
