"""E7: a YAML file without spaces behind the colons has no keys.

YAML takes nc:2 for text; a key needs a space behind its colon.

Symptom: TypeError: string indices must be integers
Needs:   torch, yaml; cpu; about 3 s
Run:     python broken_colon.py
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
text = "train:images/train\nnc:2"  # BUG: no space


if __name__ == "__main__":
    settings = yaml.safe_load(text)
    model = nn.Linear(3, settings["nc"])

    healthy = model.out_features == 2

    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": model.out_features}))
    sys.exit(0 if healthy else 1)
