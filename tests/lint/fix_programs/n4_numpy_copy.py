"""numpy() works only without a graph: the program prints what it is told."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    optimizer.step()
    total += loss
values = [total.detach().numpy().tolist(), "graph" if total.requires_grad else "no graph"]
print(values)
