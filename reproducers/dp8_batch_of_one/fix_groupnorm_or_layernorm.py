"""DP8: GroupNorm with 4 channels per group, and LayerNorm, accept a batch of one.

GroupNorm and LayerNorm take their statistics within one sample, over the channels of a group and
all positions. A group of one channel without positions is one value, which becomes 0.

Symptom: none: steps of 4, 4 and 1 samples
Needs:   torch; cpu; about 3 s
Run:     python fix_groupnorm_or_layernorm.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

num_samples = 9
batch_size = 4
torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(4, 8),
    nn.GroupNorm(2, 8),  # FIX: 2 groups of 4 channels
    nn.ReLU(),
    nn.Linear(8, 8),
    nn.LayerNorm(8),  # FIX: all 8 channels together
    nn.ReLU(),
    nn.Linear(8, 1),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
dataset = TensorDataset(torch.randn(num_samples, 4), torch.randn(num_samples, 1))
train_loader = DataLoader(dataset, batch_size)

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
