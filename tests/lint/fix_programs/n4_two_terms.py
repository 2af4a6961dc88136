import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total, count = 0, 0
while count < 3:
    first = model(torch.ones(1, 2)).sum()
    loss = first + model(torch.zeros(1, 2)).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    total += loss
    total -= first
    total *= 0.5
    optimizer.step()
    count += 1
print(f"{total:.5f} {total / count:8.3e}")
