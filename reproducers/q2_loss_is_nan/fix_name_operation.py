"""Q2: if the loss is finite and a gradient is not, anomaly detection names the operation.

Anomaly detection checks what every operation returns in the backward pass. It stops at the first
nan and prints the line of the forward pass that this operation belongs to.

Symptom: none: the error names the square inside the root, and the warning shows the line
Needs:   torch; cpu; about 3 s
Run:     python fix_name_operation.py
"""
import json
import sys
import warnings

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)


def distance(out, target):
    return (out - target).pow(2).sum(1).sqrt().mean()  # the derivative of sqrt at 0 is infinite


if __name__ == "__main__":
    inputs = torch.rand(8, 4)
    target = torch.rand(8, 2)
    target[3] = model(inputs).detach()[3]  # one prediction is exactly right
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with torch.autograd.detect_anomaly():  # FIX: for one step, around forward and backward
                loss = distance(model(inputs), target)
                loss.backward()
        except RuntimeError as error:
            message = str(error)

    line = "(out - target).pow(2).sum(1).sqrt().mean()" in "".join(str(w.message) for w in caught)
    healthy = bool(torch.isfinite(loss)) and "'PowBackward0' returned nan" in message and line
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 3),
                                  "message": message, "line_is_shown": line}))
    sys.exit(0 if healthy else 1)
