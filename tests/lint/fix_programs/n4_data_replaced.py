"""The list has the losses themselves: what is done to a loss later is seen in it."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for step in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    optimizer.step()
    losses.append(loss)
    loss.data = torch.tensor(float(step))
print([float(item) for item in losses])
