"""O20: strict=False does not excuse a tensor of another shape.

strict concerns names: which keys may be missing or left over. A key that is in both with
different shapes is an error in either mode, raised after the other tensors have been copied.
Filtering such keys out before the load silences it, and leaves their layers as they were
initialised.

Symptom: the error is caught; half of the tensors have been replaced by then
Needs:   torch; cpu; about 2 s
Run:     python trap_try_except.py
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
    before = {key: value.clone() for key, value in model.state_dict().items()}
    try:
        model.load_state_dict(checkpoint, strict=False)
    except RuntimeError:
        print("no usable checkpoint: training from scratch")  # BUG: not from scratch any more

    changed = [not torch.equal(value, before[key]) for key, value in model.state_dict().items()]
    healthy = not any(changed)
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors": list(before),
                                  "changed_by_tensor": changed}))
    sys.exit(0 if healthy else 1)
