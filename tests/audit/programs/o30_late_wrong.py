# After some thousand tiny steps, of which most are only counted, a learning rate of 1e30 makes the loss explode.
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for step in range(4000):
    if step == 3900:
        optimizer.param_groups[0]["lr"] = 1e30
    inputs = torch.randn(8, 4)
    loss = (model(inputs) - inputs.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
