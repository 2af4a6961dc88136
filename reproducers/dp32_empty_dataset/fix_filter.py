"""DP32: the filter compares what the column holds, and the loader is checked before training.

check_loader() names the two lengths if there is nothing to train on.

Symptom: none: 9 steps in 3 epochs
Needs:   torch; cpu; about 2 s
Run:     python fix_filter.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

rows = [{"language": "EN", "features": torch.ones(3) * i} for i in range(6)]


def keep(row):
    return row["language"].lower() == "en"  # FIX: "EN" and "en"


def check_loader(loader, name):
    samples, batches = len(loader.dataset), len(loader)
    print(f"{name}: {samples} samples, {batches} batches of {loader.batch_size}", file=sys.stderr)
    if batches == 0:
        raise ValueError(f"{name}: no batch; {samples} samples, drop_last={loader.drop_last}")


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    before = model.weight.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    kept = [row["features"] for row in rows if keep(row)]
    loader = DataLoader(kept, batch_size=2)
    check_loader(loader, "train")
    steps = 0
    for epoch in range(3):
        for inputs in loader:
            optimizer.zero_grad()
            model(inputs).pow(2).mean().backward()
            optimizer.step()
            steps += 1

    healthy = steps == 9 and not torch.equal(model.weight, before)
    print("OBSERVED", json.dumps({"healthy": healthy, "samples": len(kept), "steps": steps}))
    sys.exit(0 if healthy else 1)
