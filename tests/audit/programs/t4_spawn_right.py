import time

import torch
import torch.multiprocessing as mp
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __len__(self):
        return 160

    def __getitem__(self, index):
        time.sleep(0.003)  # reading and decoding a file
        return torch.full((16,), float(index)), index % 2


mp.set_start_method("spawn")  # so each worker would import torch, which takes longer than all these waits
model = nn.Linear(16, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
for images, labels in DataLoader(Photos(), batch_size=8):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(images), labels).backward()
    optimizer.step()
    time.sleep(0.005)  # the rest of a step
