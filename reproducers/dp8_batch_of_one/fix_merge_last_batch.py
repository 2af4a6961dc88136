"""DP8: a single last sample joins the batch before it.

A batch sampler adds a single last sample to the batch before it, so every batch has at least two
samples.

Symptom: none: steps of 4 and 5 samples
Needs:   torch; cpu; about 3 s
Run:     python fix_merge_last_batch.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

num_samples = 9
batch_size = 4
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
dataset = TensorDataset(torch.randn(num_samples, 4), torch.randn(num_samples, 1))


class NoBatchOfOne(BatchSampler):
    """A last batch of one sample joins the batch before it."""

    def __iter__(self):
        batches = list(super().__iter__())
        if self.batch_size > 1 and len(batches) > 1 and len(batches[-1]) == 1:
            alone = batches.pop()
            batches[-1] += alone  # FIX: 4 + 5 instead of 4 + 4 + 1
        return iter(batches)

    def __len__(self):
        full, rest = divmod(len(self.sampler), self.batch_size)
        return max(full + (rest > 1), 1)


batches = NoBatchOfOne(RandomSampler(dataset), batch_size, drop_last=False)
train_loader = DataLoader(dataset, batch_sampler=batches)

if __name__ == "__main__":
    samples_by_step = []
    model.train()
    for x, y in train_loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        samples_by_step.append(len(x))

    healthy = sum(samples_by_step) == num_samples and len(samples_by_step) == len(train_loader)
    print("OBSERVED", json.dumps({"healthy": healthy, "samples_by_step": samples_by_step}))
    sys.exit(0 if healthy else 1)
