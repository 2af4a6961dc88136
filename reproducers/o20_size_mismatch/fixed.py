"""O20: a checkpoint loads once the new layers are left out by name.

The keys of the new layers are removed from the checkpoint by name. Everything else must load, and
the report says exactly which keys were left out.

Symptom: none: the backbone is loaded, and exactly the two tensors of the new head are not
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
    checkpoint = {k: v for k, v in checkpoint.items() if k not in new}  # FIX: by name
    report = model.load_state_dict(checkpoint, strict=False)
    assert set(report.missing_keys) == new and not report.unexpected_keys, report

    loaded = {key for key in checkpoint if torch.equal(model.state_dict()[key], checkpoint[key])}
    healthy = set(report.missing_keys) == new and loaded == set(model.state_dict()) - new
    print("OBSERVED", json.dumps({"healthy": healthy, "loaded": sorted(loaded),
                                  "from_scratch": sorted(report.missing_keys)}))
    sys.exit(0 if healthy else 1)
