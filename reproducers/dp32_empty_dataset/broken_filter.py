"""DP32: a filter keeps no text, and training ends at once without an error.

The column says "EN" and the filter compares with "en". The loader does not shuffle, so it accepts
an empty dataset: three epochs without a step, and then the initial weights are saved.

Symptom: no error: 0 steps in 3 epochs, and the weights are the initial ones
Needs:   torch; cpu; about 2 s
Run:     python broken_filter.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

rows = [{"language": "EN", "features": torch.ones(3) * i} for i in range(6)]


def keep(row):
    return row["language"] == "en"  # BUG: the column has "EN"


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    before = model.weight.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    kept = [row["features"] for row in rows if keep(row)]
    loader = DataLoader(kept, batch_size=2)
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
