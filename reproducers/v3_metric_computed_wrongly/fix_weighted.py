"""V3: each batch counts with its number of samples.

Then the mean is that of all samples.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_weighted.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


if __name__ == "__main__":
    values = torch.cat([torch.full((100,), 0.9), torch.full((2,), 0.1)])  # of each sample
    total, count = 0.0, 0
    for (batch,) in DataLoader(TensorDataset(values), batch_size=50):
        total, count = total + batch.mean().item() * len(batch), count + len(batch)  # FIX
    mean = total / count

    healthy = abs(mean - values.mean().item()) < 0.001

    print("OBSERVED", json.dumps({"healthy": healthy, "mean": round(mean, 3)}))
    sys.exit(0 if healthy else 1)
