"""DP8: 9 samples in batches of 4 leave a batch of one, and BatchNorm1d raises.

A DataLoader keeps the short last batch, which has one sample if len(dataset) % batch_size is 1.
In training mode BatchNorm needs more than one value per channel and raises.

Symptom: ValueError: Expected more than 1 value per channel when training, got input size
         torch.Size([1, 8])
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

num_samples = 9
batch_size = 4
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
dataset = TensorDataset(torch.randn(num_samples, 4), torch.randn(num_samples, 1))
train_loader = DataLoader(dataset, batch_size)  # BUG: 9 = 4 + 4 + 1, the last batch is kept
val_loader = DataLoader(dataset, batch_size)  # in eval mode a batch of one is fine

if __name__ == "__main__":
    samples_by_step = []
    model.train()
    for x, y in train_loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        samples_by_step.append(len(x))

    model.eval()
    validated = sum(len(model(x)) for x, y in val_loader)

    healthy = len(samples_by_step) > 0 and validated == num_samples
    print("OBSERVED", json.dumps({"healthy": healthy, "samples_by_step": samples_by_step,
                                  "validated": validated}))
    sys.exit(0 if healthy else 1)
