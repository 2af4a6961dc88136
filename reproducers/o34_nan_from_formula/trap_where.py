"""O34: torch.where after the formula keeps the value, but the gradient is still nan.

where() gives the branch that was not chosen a gradient of 0. That 0 is multiplied by the infinite
derivative of the square root.

Symptom: the loss is finite, and the gradient of the element at 0 is nan
Needs:   torch; cpu; about 3 s
Run:     python trap_where.py; python fix_where.py; diff trap_where.py fix_where.py
"""
import json
import sys

import torch

x = torch.tensor([0.0, 1.0, 4.0], requires_grad=True)

if __name__ == "__main__":
    positive = x > 0
    root = torch.where(positive, x.sqrt(), torch.zeros_like(x))  # BUG: sqrt(0) was computed
    loss = root.sum()
    loss.backward()

    finite = bool(torch.isfinite(x.grad).all())
    healthy = loss.item() == 3 and finite and x.grad[1].item() == 0.5
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": loss.item(),
                                  "gradient": [str(g) for g in x.grad.tolist()]}))
    sys.exit(0 if healthy else 1)
