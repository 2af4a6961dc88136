# A training that ends by a signal with no handler.
# ends: -15
import os
import signal

import torch

layer = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    layer(torch.ones(2, 2)).sum().backward()
    optimizer.step()
print("before", flush=True)
os.kill(os.getpid(), signal.SIGTERM)
