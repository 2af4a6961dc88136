"""E1: the replacements for removed names run on old and new versions of torch.

Each line marked FIX uses a name that exists from torch 1.8 on, in place of one that was removed.

Symptom: none: the same results as the removed names gave
Needs:   torch; cpu; about 2 s
Run:     python fix_replacements.py
"""
import json
import sys

import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau

is_train = 1  # as argparse or a config file gives it
covariance = [[2.0, 1.0], [1.0, 2.0]]


def to_device(batch, device):
    return {key: value if isinstance(value, str) else value.to(device)  # FIX: not torch._six
            for key, value in batch.items()}


if __name__ == "__main__":
    values, vectors = torch.linalg.eigh(torch.tensor(covariance))  # FIX: not torch.symeig
    values = [round(value, 4) for value in values.tolist()]
    batch = to_device({"image": torch.ones(2), "path": "a.png"}, "cpu")
    optimizer = torch.optim.SGD(torch.nn.Linear(2, 1).parameters(), lr=0.1)
    scheduler = ReduceLROnPlateau(optimizer, patience=0)  # FIX: no verbose
    for loss in [1.0, 1.0]:
        scheduler.step(loss)
        print("learning rate", optimizer.param_groups[0]["lr"])
    model = torch.nn.Sequential(torch.nn.Dropout()).eval()
    model.train(bool(is_train))  # FIX: train() takes a bool
    rate = round(optimizer.param_groups[0]["lr"], 6)

    healthy = (values == [1.0, 3.0] and vectors.shape == (2, 2) and rate == 0.01
               and model[0].training is True and batch["path"] == "a.png"
               and batch["image"].sum().item() == 2)
    print("OBSERVED", json.dumps({"healthy": healthy, "eigenvalues": values,
                                  "learning_rate": rate}))
    sys.exit(0 if healthy else 1)
