"""DP8: training dies at the last batch, "Expected more than 1 value per channel when training".

In training mode BatchNorm takes the variance of each channel over the batch and the spatial
positions. 9 samples in batches of 4 leave a last batch of 1; where there are no spatial positions,
each channel then holds one value, which has no variance, and BatchNorm refuses it.

Symptom: with full batches nothing is raised, and 8 different samples get one prediction
Needs:   torch; cpu; about 3 s
Run:     python trap_groupnorm_all_zeros.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

num_samples = 8
batch_size = 4
torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(4, 8),
    nn.GroupNorm(8, 8),  # BUG: 8 groups of one channel, each value becomes 0
    nn.ReLU(),
    nn.Linear(8, 1),
)
dataset = TensorDataset(torch.randn(num_samples, 4))
train_loader = DataLoader(dataset, batch_size)

if __name__ == "__main__":
    model.train()
    predictions = torch.cat([model(x) for (x,) in train_loader])
    largest = model[1](model[0](dataset.tensors[0])).abs().max().item()

    distinct = len({round(value, 3) for value in predictions.flatten().tolist()})
    healthy = distinct == num_samples
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_predictions": distinct,
                                  "largest_output_of_groupnorm": round(largest, 3)}))
    sys.exit(0 if healthy else 1)
