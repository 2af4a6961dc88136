"""O20: strict=False does not accept a tensor with a different shape.

strict decides about names that only the model or only the checkpoint has. A key that is in both
must have the same shape in either mode.

Symptom: size mismatch for fc.weight, although strict=False is given
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
from collections import OrderedDict

import torch
from torch import nn


def build(classes):
    return nn.Sequential(OrderedDict(backbone=nn.Linear(4, 8), relu=nn.ReLU(),
                                     fc=nn.Linear(8, classes)))


if __name__ == "__main__":
    torch.manual_seed(0)
    checkpoint, model = build(5).state_dict(), build(2)
    new = {"fc.weight", "fc.bias"}  # the head that this task trains from scratch
    report = model.load_state_dict(checkpoint, strict=False)  # BUG: only names may differ
    assert set(report.missing_keys) == new and not report.unexpected_keys, report

    loaded = {key for key in checkpoint if torch.equal(model.state_dict()[key], checkpoint[key])}
    healthy = set(report.missing_keys) == new and loaded == set(model.state_dict()) - new
    print("OBSERVED", json.dumps({"healthy": healthy, "loaded": sorted(loaded),
                                  "from_scratch": sorted(report.missing_keys)}))
    sys.exit(0 if healthy else 1)
