"""E7: a class name in a YAML file is false.

YAML 1.1 reads no, yes, on and off as booleans.

Symptom: ValueError: 'no' is not in list
Needs:   torch, yaml; cpu; about 3 s
Run:     python broken_no.py
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
text = "names: [no, maybe]"  # BUG: false


if __name__ == "__main__":
    settings = yaml.safe_load(text)
    classes = settings["names"]
    label = classes.index("no")

    healthy = label == 0

    print("OBSERVED", json.dumps({"healthy": healthy, "label": label}))
    sys.exit(0 if healthy else 1)
