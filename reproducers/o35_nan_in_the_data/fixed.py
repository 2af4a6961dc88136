"""O35: samples with nan or inf are found before training and left out.

One pass over the dataset looks at each sample and names the bad ones. The loader then reads only
the others.

Symptom: none: samples 37 and 50 are named, and all losses and weights are finite
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import math
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset

num_samples = 64


class Table(Dataset):
    """One value is missing in sample 37, one is infinite in sample 50."""

    def __init__(self):
        self.inputs = torch.linspace(-1, 1, num_samples * 4).reshape(num_samples, 4)
        self.targets = self.inputs.sum(1, keepdim=True)
        self.inputs[37, 2] = float("nan")
        self.inputs[50, 0] = float("inf")

    def __len__(self):
        return num_samples

    def __getitem__(self, index):
        return self.inputs[index], self.targets[index]


def bad_samples(dataset):  # FIX: one pass before training
    return [index for index in range(len(dataset))
            if not all(torch.isfinite(part).all() for part in dataset[index])]


if __name__ == "__main__":
    torch.manual_seed(0)
    table = Table()
    bad = bad_samples(table)
    print("bad samples", bad)
    good = sorted(set(range(len(table))) - set(bad))
    loader = DataLoader(Subset(table, good), batch_size=8)  # FIX
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    finite = [math.isfinite(loss) for loss in losses]
    nan_values = int(sum((~torch.isfinite(t)).sum() for t in model.state_dict().values()))
    healthy = len(losses) == 8 and all(finite) and nan_values == 0 and losses[-1] != losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "finite_losses": sum(finite),
                                  "nan_values": nan_values}))
    sys.exit(0 if healthy else 1)
