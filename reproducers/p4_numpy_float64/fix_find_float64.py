"""P4: a walk over the batch, the model and the criterion lists everything that is float64.

It needs no forward pass. The batch may be nested.

Symptom: none: the target, the mean of the model and the class weights are named
Needs:   torch; cpu; about 2 s
Run:     python fix_find_float64.py
"""
import json
import sys

import torch
from torch import nn


def find_float64(value, name):  # FIX: look everywhere, not only at the input
    """The names of all float64 tensors in a batch, a module or a criterion."""
    if isinstance(value, nn.Module):
        value = dict(list(value.named_parameters()) + list(value.named_buffers()))
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, (list, tuple)):
        parts = enumerate(value)
    else:
        return [name] if getattr(value, "dtype", None) == torch.float64 else []
    return [found for key, part in parts for found in find_float64(part, f"{name}.{key}")]


if __name__ == "__main__":
    model = nn.Linear(2, 2)
    model.register_buffer("mean", torch.zeros(2, dtype=torch.float64))
    criterion = nn.CrossEntropyLoss(weight=torch.ones(2, dtype=torch.float64))
    batch = {"x": torch.ones(4, 2), "y": [torch.ones(4, dtype=torch.float64), torch.ones(4)]}
    found = (find_float64(batch, "batch") + find_float64(model, "model")
             + find_float64(criterion, "criterion"))

    healthy = found == ["batch.y.0", "model.mean", "criterion.weight"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
