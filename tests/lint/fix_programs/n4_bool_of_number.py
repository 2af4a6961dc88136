import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
total = False
for _ in range(2):
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    total += loss
print(total.item(), [str(round(float(total - 1), 3))], "{}".format(1) if False else "")
