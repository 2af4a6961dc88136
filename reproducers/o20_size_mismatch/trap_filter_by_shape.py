"""O20: strict=False does not excuse a tensor of another shape.

strict concerns names: which keys may be missing or left over. A key that is in both with
different shapes is an error in either mode, raised after the other tensors have been copied.
Filtering such keys out before the load silences it, and leaves their layers as they were
initialised.

Symptom: filtered by shape, everything loads without a word: 3 % of the numbers
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
    checkpoint, model = build(64).state_dict(), build(128)  # a width mistyped in the config
    own = model.state_dict()
    fitting = {k: v for k, v in checkpoint.items()
               if k in own and v.shape == own[k].shape}  # BUG: whatever does not fit is forgotten
    report = model.load_state_dict(fitting, strict=False)

    numbers = [sum(t.numel() for t in tensors) for tensors in (fitting.values(), own.values())]
    ratio = numbers[0] / numbers[1]
    healthy = ratio > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "loaded_ratio": round(ratio, 3),
                                  "tensors_loaded": len(fitting), "of": len(own),
                                  "unexpected": len(report.unexpected_keys),
                                  "missing": len(report.missing_keys)}))
    sys.exit(0 if healthy else 1)
