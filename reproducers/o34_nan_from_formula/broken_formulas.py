"""O34: seven formulas that are right on paper and give inf or nan in float32.

Each formula gets one extreme but legal input. Its value or its gradient is not finite.

Symptom: 7 of 7 formulas give a value or a gradient that is not finite
Needs:   torch; cpu; about 3 s
Run:     python broken_formulas.py; python fix_formulas.py; diff broken_formulas.py fix_formulas.py
"""
import json
import sys

import torch

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
        "log of a sigmoid": state(lambda x: torch.sigmoid(-x).log()),  # BUG
        "log of a softmax": state(lambda x: x.softmax(0).log()),  # BUG
        "log of a sum of exp": state(lambda x: x.exp().sum().log()),  # BUG
        "softplus": state(lambda x: (1 + x.exp()).log()),  # BUG
        "entropy": state(lambda x: -(x.softmax(0) * x.softmax(0).log()).sum()),  # BUG
        "normalised vector": state(lambda x: 0 * x / (0 * x).norm()),  # BUG
        "mean of a mask": state(lambda x: (x * off).sum() / off.sum())}  # BUG
    healthy = all(value == "finite" for value in found.values())
    print("OBSERVED", json.dumps({"healthy": healthy, "formulas": len(found), "found": found}))
    sys.exit(0 if healthy else 1)
