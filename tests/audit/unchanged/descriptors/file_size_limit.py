# No file may grow beyond 512 bytes (ulimit -f): the program's own writes fail, its training does not.
import resource
import signal

import torch
from torch.utils.data import DataLoader, TensorDataset

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    for (x,) in DataLoader(TensorDataset(torch.ones(16, 2)), 4):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), torch.ones(4, 1)).backward()
        optimizer.step()
try:
    with open("big", "w") as file:
        file.write("x" * 10000)
except OSError as error:
    print(error.errno)
