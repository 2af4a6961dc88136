"""DP32: at least one sample is held out.

max(1, …) keeps the validation part from being empty.

Symptom: none: 7 samples to train, 1 to validate
Needs:   torch; cpu; about 2 s
Run:     python fix_empty_split.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def validate(model, loader):
    total = 0
    for inputs, labels in loader:
        total += nn.functional.mse_loss(model(inputs), labels).item()
    return total / len(loader)


if __name__ == "__main__":
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(8, 3), torch.randn(8, 1))
    held_out = max(1, int(0.1 * len(dataset)))  # FIX: never 0
    train_set, valid_set = random_split(dataset, [len(dataset) - held_out, held_out])
    loss = validate(nn.Linear(3, 1), DataLoader(valid_set, batch_size=4))

    healthy = len(train_set) == 7 and len(valid_set) == 1 and loss > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "valid_samples": len(valid_set),
                                  "loss": round(loss, 2)}))
    sys.exit(0 if healthy else 1)
