"""O20: strict=False does not excuse a tensor of another shape.

strict concerns names: which keys may be missing or left over. A key that is in both with
different shapes is an error in either mode, raised after the other tensors have been copied.
Filtering such keys out before the load silences it, and leaves their layers as they were
initialised.

Symptom: a head for 5 classes does not load into one for 2, strict=False or not: size mismatch
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn


def build(classes):
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, classes))


if __name__ == "__main__":
    torch.manual_seed(0)
    checkpoint, model = build(5).state_dict(), build(2)
    new = {"2.weight", "2.bias"}  # the head that this task trains from scratch
    checkpoint = {k: v for k, v in checkpoint.items() if k not in new}  # FIX: named, not by shape
    report = model.load_state_dict(checkpoint, strict=False)
    assert set(report.missing_keys) == new and not report.unexpected_keys, report

    loaded = {key for key in checkpoint if torch.equal(model.state_dict()[key], checkpoint[key])}
    healthy = set(report.missing_keys) == new and loaded == set(model.state_dict()) - new
    print("OBSERVED", json.dumps({"healthy": healthy, "loaded": sorted(loaded),
                                  "from_scratch": sorted(report.missing_keys)}))
    sys.exit(0 if healthy else 1)
