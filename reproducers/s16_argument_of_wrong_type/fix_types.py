"""S16: settings from a text file, a size from a division and integer features, each converted.

float() for a number that was text, // for a size, .float() for the input of a layer.

Symptom: none: the model trains one step
Needs:   torch; cpu; about 2 s
Run:     python fix_types.py
"""
import json
import sys

import torch
from torch import nn

SETTINGS = "lr = 1e-2\nwidth = 16"
ROWS = [[21, 0, 3, 1], [54, 1, 0, 2]]


if __name__ == "__main__":
    torch.manual_seed(0)
    settings = dict(line.split(" = ") for line in SETTINGS.splitlines())
    width, lr = int(settings["width"]), float(settings["lr"])  # FIX: numbers, not text
    model = nn.Sequential(nn.Linear(4, width), nn.Linear(width, width // 2))  # FIX: // gives an int
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    inputs = torch.tensor(ROWS).float()  # FIX: float32, like the weights
    before = model[0].weight.clone()
    model(inputs).mean().backward()
    optimizer.step()

    healthy = bool((model[0].weight != before).any())
    print("OBSERVED", json.dumps({"healthy": healthy, "hidden_width": model[1].out_features}))
    sys.exit(0 if healthy else 1)
