# A training with no free descriptor, then with a limit that is raised again.
import os
import resource

import torch

layer = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)


def train(steps):
    for _ in range(steps):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(layer(torch.ones(2, 2)), torch.ones(2, 1)).backward()
        optimizer.step()


train(1)
held = []
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (16, hard))
try:
    while True:
        held.append(os.dup(0))
except OSError as error:
    print(error.errno)
train(5)
for descriptor in held:
    os.close(descriptor)
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
train(5)
torch.save(layer.state_dict(), "/dev/null")
print("trained")
