import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
best, best_epoch = None, 0
for epoch in range(5):
    total = 0.0
    for step in range(2):
        loss = (model(torch.ones(1, 2) * step) - 1).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
    value = round(total.item(), 5)
    if best is None or value < best:
        best, best_epoch = value, epoch
print(best, best_epoch)
