"""O34: torch.where before the formula keeps value and gradient finite.

The dangerous element is replaced before the root is taken, so no infinite derivative appears. A
second where() puts the wanted value in its place.

Symptom: none: the loss is 3, and the gradient is 0, 0.5 and 0.25
Needs:   torch; cpu; about 3 s
Run:     python trap_where.py; python fix_where.py; diff trap_where.py fix_where.py
"""
import json
import sys

import torch

x = torch.tensor([0.0, 1.0, 4.0], requires_grad=True)

if __name__ == "__main__":
    positive = x > 0
    safe = torch.where(positive, x, torch.ones_like(x))  # FIX: before the root
    root = torch.where(positive, safe.sqrt(), torch.zeros_like(x))
    loss = root.sum()
    loss.backward()

    finite = bool(torch.isfinite(x.grad).all())
    healthy = loss.item() == 3 and finite and x.grad[1].item() == 0.5
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": loss.item(),
                                  "gradient": [str(g) for g in x.grad.tolist()]}))
    sys.exit(0 if healthy else 1)
