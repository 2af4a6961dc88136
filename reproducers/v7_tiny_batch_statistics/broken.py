"""V7: a model with BatchNorm does not learn in batches of 2.

With two values per channel, BatchNorm keeps only which one is larger: the output is -1 and +1. The
layers below get almost no gradient.

Symptom: 1024 samples in batches of 2: accuracy 0.5 or less for two classes of equal size
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

batch_size = 2
torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(2, 16),
    nn.BatchNorm1d(16),  # BUG: statistics of 2 values
    nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(1024, 2)
labels = (inputs.norm(dim=1) > 1.18).long()  # inside or outside of a circle, half and half


def accuracy():
    return round((model(inputs).argmax(1) == labels).float().mean().item(), 2)


if __name__ == "__main__":
    pairs = inputs[:100].view(50, batch_size, 2)
    normalised = torch.stack([model[1](model[0](pair)) for pair in pairs]).abs()
    at_one = round(((normalised - 1).abs() < 0.05).float().mean().item(), 2)

    for start in range(0, len(inputs), batch_size):
        x, y = inputs[start:start + batch_size], labels[start:start + batch_size]
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    model.eval()
    right = accuracy()
    healthy = right > 0.75
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy_in_eval_mode": right,
                                  "share_of_norm_outputs_at_plus_minus_1": at_one}))
    sys.exit(0 if healthy else 1)
