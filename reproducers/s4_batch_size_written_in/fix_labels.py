"""S4: the labels are created from the output.

ones_like() takes size, dtype and device from the output.

Symptom: none: all three batches run
Needs:   torch; cpu; about 2 s
Run:     python fix_labels.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

batch_size = 4
samples = 10  # batches of 4, 4 and 2


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid())
    losses = []
    for images in DataLoader(torch.randn(samples, 3), batch_size=batch_size):
        output = model(images).squeeze(1)
        real = torch.ones_like(output)  # FIX: as many as there are outputs
        losses.append(nn.functional.binary_cross_entropy(output, real).item())

    healthy = len(losses) == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(losses)}))
    sys.exit(0 if healthy else 1)
