"""O37: the check: what the model or the loss returns, with names and shapes.

One function for tensors, dicts, tuples and lists, in training and in evaluation mode.

Symptom: none: it shows a dict of scalars, and a tuple of two
Needs:   torch; cpu; about 2 s
Run:     python fix_describe.py
"""
import json
import sys

import torch
from torch import nn


def describe(x):
    """The names, types and shapes of whatever a model or a loss returns."""
    if isinstance(x, dict):
        return {name: describe(value) for name, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [type(x).__name__] + [describe(value) for value in x]
    return tuple(x.shape) if torch.is_tensor(x) else type(x).__name__


if __name__ == "__main__":
    model = nn.Linear(8, 3)
    logits = model(torch.ones(32, 8))
    seen = [describe(logits), describe((logits, logits)),  # FIX: before you index
            describe({"loss_box_reg": logits.mean(), "accuracy": 0.5})]
    print(*seen, sep="\n")

    wanted = [(32, 3), ["tuple", (32, 3), (32, 3)], {"loss_box_reg": (), "accuracy": "float"}]
    healthy = seen == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "described": len(seen)}))
    sys.exit(0 if healthy else 1)
