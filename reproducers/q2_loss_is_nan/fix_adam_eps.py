"""Q2: with an eps of 1e-8, a weight without a gradient stays as it is.

0 divided by 1e-8 is 0. In float16, 1e-8 is 0 as well: keep the weights in float32.

Symptom: none: no weight is nan after the step
Needs:   torch; cpu; about 2 s
Run:     python fix_adam_eps.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Embedding(10, 4)

if __name__ == "__main__":
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, eps=1e-8)  # FIX: the default
    loss = model(torch.tensor([1, 2, 3])).pow(2).mean()
    loss.backward()
    finite_gradients = bool(torch.isfinite(model.weight.grad).all())
    optimizer.step()

    bad_rows = int(torch.isnan(model.weight).any(1).sum())
    healthy = finite_gradients and bad_rows == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "finite_gradients": finite_gradients,
                                  "nan_rows": bad_rows}))
    sys.exit(0 if healthy else 1)
