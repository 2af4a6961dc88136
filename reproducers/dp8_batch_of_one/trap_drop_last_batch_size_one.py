"""DP8: with batch_size=1, drop_last drops nothing.

drop_last=True drops the last batch if it is not full. What that leaves depends on the length of
the dataset and on batch_size.

Symptom: ValueError: Expected more than 1 value per channel when training, got input size
         torch.Size([1, 8])
Needs:   torch; cpu; about 3 s
Run:     python trap_drop_last_batch_size_one.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

num_samples = 9
batch_size = 1
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
dataset = TensorDataset(torch.randn(num_samples, 4), torch.randn(num_samples, 1))
train_loader = DataLoader(dataset, batch_size, drop_last=True)  # BUG: a batch of 1 is full

if __name__ == "__main__":
    samples_by_step = []
    model.train()
    for x, y in train_loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        samples_by_step.append(len(x))

    healthy = sum(samples_by_step) == num_samples
    print("OBSERVED", json.dumps({"healthy": healthy, "samples_by_step": samples_by_step}))
    sys.exit(0 if healthy else 1)
