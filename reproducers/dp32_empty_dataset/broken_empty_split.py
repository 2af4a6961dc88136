"""DP32: a tenth of 8 samples is no sample, and the validation average divides by zero.

int(0.1 * 8) is 0. The validation loader does not shuffle, so it accepts the empty part, and its
loop runs zero times.

Symptom: ZeroDivisionError, in the line that averages the validation loss
Needs:   torch; cpu; about 2 s
Run:     python broken_empty_split.py
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
    held_out = int(0.1 * len(dataset))  # BUG: 0 for less than 10 samples
    train_set, valid_set = random_split(dataset, [len(dataset) - held_out, held_out])
    loss = validate(nn.Linear(3, 1), DataLoader(valid_set, batch_size=4))

    healthy = len(train_set) == 7 and len(valid_set) == 1 and loss > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "valid_samples": len(valid_set),
                                  "loss": round(loss, 2)}))
    sys.exit(0 if healthy else 1)
