# The working folder is changed and removed, the file mask is strict, HOME does not exist.
# run: env -u HOME python FILE
import os

import torch
from torch.utils.data import DataLoader

layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
os.umask(0o777)
os.mkdir("gone")
os.chmod("gone", 0o700)
os.chdir("gone")
os.rmdir("../gone")
for x in DataLoader(torch.ones(4, 1), 2, num_workers=1):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(layer(x), torch.ones(2, 1)).backward()
    optimizer.step()
try:
    os.getcwd()
except OSError as error:
    print(error.errno)
print(oct(os.umask(0)))
