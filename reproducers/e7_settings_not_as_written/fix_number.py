"""E7: 1.0e-4 in a YAML file is a number.

With a dot PyYAML reads a float.

Symptom: none
Needs:   torch, yaml; cpu; about 3 s
Run:     python fix_number.py
"""
import json
import sys

import torch
from torch import nn

try:
    import yaml
except ImportError:
    print("SKIPPED yaml is not installed")
    sys.exit(77)

torch.manual_seed(0)
text = "lr: 1.0e-4"  # FIX: with a dot


if __name__ == "__main__":
    settings = yaml.safe_load(text)
    model = nn.Linear(3, 1)
    base = settings["lr"]
    groups = [{"params": [model.weight], "lr": base}, {"params": [model.bias], "lr": base * 0.5}]
    optimizer = torch.optim.SGD(groups, lr=base)
    rate = optimizer.param_groups[1]["lr"]

    healthy = rate == 0.00005

    print("OBSERVED", json.dumps({"healthy": healthy, "lr_of_bias": rate}))
    sys.exit(0 if healthy else 1)
