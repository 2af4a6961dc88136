"""E7: 1e-4 in a YAML file is text.

YAML 1.1, which PyYAML reads, has a dot in each float with an exponent.

Symptom: TypeError: can't multiply sequence by non-int of type 'float'
Needs:   torch, yaml; cpu; about 3 s
Run:     python broken_number.py
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
text = "lr: 1e-4"  # BUG: no dot


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
