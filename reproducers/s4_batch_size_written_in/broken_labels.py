"""S4: the labels of a GAN are created with the configured batch size.

The discriminator returns as many outputs as the batch has samples. In the last batch these are
fewer than the labels.

Symptom: ValueError: Using a target size (torch.Size([4])) that is different to the input size ([2])
Needs:   torch; cpu; about 2 s
Run:     python broken_labels.py
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
        real = torch.ones(batch_size)  # BUG: the size from the settings
        losses.append(nn.functional.binary_cross_entropy(output, real).item())

    healthy = len(losses) == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(losses)}))
    sys.exit(0 if healthy else 1)
