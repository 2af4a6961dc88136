"""DP32: drop_last=True drops the only batch, and the loop never runs.

The set has 6 samples and the batch size is 8, so the only batch is not full. The first line that
fails is the one behind the loop, where the loss does not exist.

Symptom: UnboundLocalError for 'loss', in the line behind the loop
Needs:   torch; cpu; about 2 s
Run:     python broken_drop_last.py
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
    loader = DataLoader(dataset, batch_size, drop_last=True)  # BUG: 6 samples are less than a batch
    loss = train_epoch(model, loader, torch.optim.SGD(model.parameters(), lr=0.1))

    healthy = len(loader) > 0 and not torch.equal(model.weight, before)
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(loader),
                                  "loss": round(loss, 2)}))
    sys.exit(0 if healthy else 1)
