"""O20: a filter by shape hides how little was loaded.

The filter removes every tensor whose shape differs, also those that differ by mistake. Their layers
keep their random weights, and nothing is raised.

Symptom: everything loads silently, but only 3 % of the numbers
Needs:   torch; cpu; about 2 s
Run:     python trap_filter_by_shape.py
"""
import json
import sys

import torch
from torch import nn


def build(width):
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, width), nn.ReLU(),
                         nn.Linear(width, 2))


if __name__ == "__main__":
    torch.manual_seed(0)
    checkpoint, model = build(64).state_dict(), build(128)  # a typo in the config
    own = model.state_dict()
    fitting = {k: v for k, v in checkpoint.items()
               if k in own and v.shape == own[k].shape}  # BUG: drops all that does not fit
    report = model.load_state_dict(fitting, strict=False)

    numbers = [sum(t.numel() for t in tensors) for tensors in (fitting.values(), own.values())]
    ratio = numbers[0] / numbers[1]
    healthy = ratio > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "loaded_ratio": round(ratio, 3),
                                  "tensors_loaded": len(fitting), "of": len(own),
                                  "unexpected": len(report.unexpected_keys),
                                  "missing": len(report.missing_keys)}))
    sys.exit(0 if healthy else 1)
