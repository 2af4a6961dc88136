import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
sums = torch.zeros(2)
total, other = sums
for _ in range(2):
    optimizer.zero_grad()
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    optimizer.step()
    total = total + loss
print(total.item() > 1e9, [value.requires_grad for value in (total, other)])
