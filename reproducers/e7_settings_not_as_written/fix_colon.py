"""E7: with spaces behind the colons each line is a setting.

The file is a dict now.

Symptom: none
Needs:   torch, yaml; cpu; about 3 s
Run:     python fix_colon.py
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
text = "train: images/train\nnc: 2"  # FIX: a space


if __name__ == "__main__":
    settings = yaml.safe_load(text)
    model = nn.Linear(3, settings["nc"])

    healthy = model.out_features == 2

    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": model.out_features}))
    sys.exit(0 if healthy else 1)
