"""DP8: BatchNorm layers in eval mode accept a batch of one.

Which statistics BatchNorm uses depends only on its own train() or eval() mode. In eval mode it
uses the running statistics and accepts a batch of one.

Symptom: none: steps of 4, 4 and 1 samples, and the running mean does not move
Needs:   torch; cpu; about 3 s
Run:     python fix_eval_batchnorm.py
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
train_loader = DataLoader(dataset, batch_size)

if __name__ == "__main__":
    samples_by_step = []
    model.train()
    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.eval()  # FIX: after model.train(): use the running statistics
    for x, y in train_loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        samples_by_step.append(len(x))

    healthy = sum(samples_by_step) == num_samples
    print("OBSERVED", json.dumps({"healthy": healthy, "samples_by_step": samples_by_step,
                                  "running_mean_moved": bool(model[1].running_mean.any())}))
    sys.exit(0 if healthy else 1)
