# Programs that close 0 rely on getting it back: the next descriptor is the lowest free one.
import os

import torch

layer = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
os.close(0)
for _ in range(3):
    optimizer.zero_grad()
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    loss = torch.nn.functional.mse_loss(torch.ones(2, 1), torch.ones(2, 1))
print(os.open("/dev/null", os.O_RDONLY), os.dup(1))
