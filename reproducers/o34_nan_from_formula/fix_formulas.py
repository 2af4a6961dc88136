"""O34: the stable forms of seven formulas are finite for extreme inputs.

Each formula gets one extreme but legal input. The stable form avoids the huge or vanishing
intermediate number.

Symptom: none: value and gradient are finite for 7 of 7 formulas
Needs:   torch; cpu; about 3 s
Run:     python broken_formulas.py; python fix_formulas.py; diff broken_formulas.py fix_formulas.py
"""
import json
import sys

import torch
from torch.nn import functional as F

x = torch.tensor([0.0, 1.0, 200.0])
off = torch.zeros(3, dtype=torch.bool)


def state(formula):
    """Whether value and gradient are finite for these inputs."""
    inputs = x.clone().requires_grad_()
    value = formula(inputs)
    value.sum().backward()
    finite = [bool(torch.isfinite(t).all()) for t in (value, inputs.grad)]
    return {(True, True): "finite", (False, True): "bad value", (False, False): "bad value",
            (True, False): "bad gradient"}[tuple(finite)]


if __name__ == "__main__":
    found = {
        "log of a sigmoid": state(lambda x: F.logsigmoid(-x)),  # FIX
        "log of a softmax": state(lambda x: x.log_softmax(0)),  # FIX
        "log of a sum of exp": state(lambda x: torch.logsumexp(x, 0)),  # FIX
        "softplus": state(lambda x: F.softplus(x)),  # FIX
        "entropy": state(lambda x: -(x.softmax(0) * x.log_softmax(0)).sum()),  # FIX
        "normalised vector": state(lambda x: F.normalize(0 * x, dim=0)),  # FIX
        "mean of a mask": state(lambda x: (x * off).sum() / off.sum().clamp(min=1))}  # FIX
    healthy = all(value == "finite" for value in found.values())
    print("OBSERVED", json.dumps({"healthy": healthy, "formulas": len(found), "found": found}))
    sys.exit(0 if healthy else 1)
