"""E6: enumerate() puts the number of the batch where the loop expects the data.

enumerate(loader) gives (0, batch), so `data` is an int and `target` the whole batch.

Symptom: AttributeError: 'int' object has no attribute 'to'
Needs:   torch; cpu; about 3 s
Run:     python broken_enumerate.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
device = torch.device("cpu")


if __name__ == "__main__":
    loader = DataLoader(TensorDataset(torch.randn(8, 3), torch.randn(8, 1)), batch_size=4)
    model = nn.Linear(3, 1).to(device)
    steps = 0
    for data, target in enumerate(loader):  # BUG: (index, batch)
        data, target = data.to(device), target.to(device)
        nn.functional.mse_loss(model(data), target).backward()
        steps += 1

    healthy = steps == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps}))
    sys.exit(0 if healthy else 1)
