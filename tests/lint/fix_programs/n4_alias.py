"""The sum is a tensor that has a second name."""
import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = everything = torch.zeros(())
for _ in range(2):
    optimizer.zero_grad()
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    optimizer.step()
    total += loss
print(total.item() > 1e9, everything.requires_grad)
