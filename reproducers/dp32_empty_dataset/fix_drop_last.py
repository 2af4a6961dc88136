"""DP32: drop_last only if the set has at least one full batch.

The set has 6 samples and the batch size is 8. The one short batch is used.

Symptom: none: one batch, and the weights move
Needs:   torch; cpu; about 2 s
Run:     python fix_drop_last.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

batch_size = 8


def train_epoch(model, loader, optimizer):
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), labels)
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    before = model.weight.detach().clone()
    dataset = TensorDataset(torch.randn(6, 3), torch.randn(6, 1))
    drop_last = len(dataset) >= batch_size  # FIX: keep the only batch
    loader = DataLoader(dataset, batch_size, drop_last=drop_last)
    loss = train_epoch(model, loader, torch.optim.SGD(model.parameters(), lr=0.1))

    healthy = len(loader) > 0 and not torch.equal(model.weight, before)
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(loader),
                                  "loss": round(loss, 2)}))
    sys.exit(0 if healthy else 1)
