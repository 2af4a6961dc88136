"""In some steps the loss is a number, which has no detach()."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for step in range(4):
    optimizer.zero_grad()
    loss = model(torch.ones(1, 2)).sum() if step > 1 else 0.5
    total += loss
    if step < 2:
        continue
    loss.backward()
    optimizer.step()
print(round(total.item(), 4))
