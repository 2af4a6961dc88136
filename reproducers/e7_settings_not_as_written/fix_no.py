"""E7: a class name in quotes is text.

Quotes make it text for every reader.

Symptom: none
Needs:   torch, yaml; cpu; about 3 s
Run:     python fix_no.py
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
text = "names: ['no', maybe]"  # FIX: text


if __name__ == "__main__":
    settings = yaml.safe_load(text)
    classes = settings["names"]
    label = classes.index("no")

    healthy = label == 0

    print("OBSERVED", json.dumps({"healthy": healthy, "label": label}))
    sys.exit(0 if healthy else 1)
