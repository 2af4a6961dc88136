"""DP8: drop_last=True on the train loader keeps only full batches.

drop_last=True drops the last batch of the train loader if it is not full. In eval mode BatchNorm
accepts a batch of one, so validation keeps all samples.

Symptom: none: steps of 4 and 4 samples, and all 9 are validated in eval mode
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
train_loader = DataLoader(dataset, batch_size, drop_last=True)  # FIX: only full batches
val_loader = DataLoader(dataset, batch_size)  # in eval mode a batch of one is fine

if __name__ == "__main__":
    samples_by_step = []
    print("remainder:", len(dataset) % batch_size, "batches:", len(train_loader))
    model.train()
    for x, y in train_loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        samples_by_step.append(len(x))

    model.eval()
    validated = sum(len(model(x)) for x, y in val_loader)  # dpkb: ignore[O5]

    healthy = len(samples_by_step) > 0 and validated == num_samples
    print("OBSERVED", json.dumps({"healthy": healthy, "samples_by_step": samples_by_step,
                                  "validated": validated}))
    sys.exit(0 if healthy else 1)
