# A training with no free descriptor, then with a limit that is raised again.
import os
import resource

import torch

held = []
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (16, hard))
try:
    while True:
        held.append(os.dup(0))
except OSError as error:
    print(error.errno)
layer = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    layer(torch.ones(2, 2)).sum().backward()
    optimizer.step()
for descriptor in held:
    os.close(descriptor)
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
torch.save(layer.state_dict(), "layer.pt")
print(sorted(torch.load("layer.pt")))
