# needs: torch>=2.4
# One thread compiles while the other uses its own loss.
import threading

import torch
import torch.nn.functional as F

real = F.mse_loss
F.mse_loss = mine = lambda input, target: real(input, target) + 5
values = []


def use():
    for _ in range(50):
        values.append(F.mse_loss(torch.ones(1), torch.ones(1)).item())


thread = threading.Thread(target=use)
thread.start()
model = torch.compile(torch.nn.Linear(2, 2), backend="eager")
for size in range(1, 6):
    model(torch.ones(size, 2))
thread.join()
use()
print(set(values), F.mse_loss is mine)
