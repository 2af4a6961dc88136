"""DP8: drop_last on a set shorter than one batch gives an epoch of 0 steps.

drop_last=True drops the last batch if it is not full. What that leaves depends on the length of
the dataset and on batch_size.

Symptom: no error: 3 samples, 0 steps
Needs:   torch; cpu; about 3 s
Run:     python trap_drop_last_short_set.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

num_samples = 3
batch_size = 4
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
dataset = TensorDataset(torch.randn(num_samples, 4), torch.randn(num_samples, 1))
train_loader = DataLoader(dataset, batch_size, drop_last=True)  # BUG: 3 // 4 = 0 batches

if __name__ == "__main__":
    samples_by_step = []
    model.train()
    for x, y in train_loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        samples_by_step.append(len(x))

    steps = len(samples_by_step)
    healthy = steps > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps, "samples": num_samples}))
    sys.exit(0 if healthy else 1)
