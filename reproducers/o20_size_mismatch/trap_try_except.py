"""O20: a caught size mismatch leaves a half-loaded model.

load_state_dict copies all tensors that fit before it raises. The caught error leaves a model that
is partly loaded and partly random.

Symptom: two of four tensors were replaced before the error came
Needs:   torch; cpu; about 2 s
Run:     python trap_try_except.py
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
    before = {key: value.clone() for key, value in model.state_dict().items()}
    try:
        model.load_state_dict(checkpoint, strict=False)
    except RuntimeError:
        print("no usable checkpoint: training from scratch")  # BUG: no longer from scratch

    changed = [not torch.equal(value, before[key]) for key, value in model.state_dict().items()]
    healthy = not any(changed)
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors": list(before),
                                  "changed_by_tensor": changed}))
    sys.exit(0 if healthy else 1)
