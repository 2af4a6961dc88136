# Variables that look like numbers, and are none.
# run: env RANK=² WORLD_SIZE=٣ LOCAL_RANK= python FILE
import os

import torch

layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    layer(torch.ones(1, 1)).sum().backward()
    optimizer.step()
print(ascii(os.environ["RANK"]), ascii(os.environ["WORLD_SIZE"]))
