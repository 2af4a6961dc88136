"""Q2: the first step of Adam divides 0 by 0, although every gradient is finite.

Adam divides by the root of the mean squared gradient, plus eps. With eps=0, a weight whose gradient
is 0 becomes nan: here the rows of an embedding that are not in the batch.

Symptom: loss and gradients are finite, and after the first step 7 of 10 rows are nan
Needs:   torch; cpu; about 2 s
Run:     python broken_adam_eps.py; python fix_adam_eps.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Embedding(10, 4)

if __name__ == "__main__":
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, eps=0.0)  # BUG: 0/0 for gradient 0
    loss = model(torch.tensor([1, 2, 3])).pow(2).mean()
    loss.backward()
    finite_gradients = bool(torch.isfinite(model.weight.grad).all())
    optimizer.step()

    bad_rows = int(torch.isnan(model.weight).any(1).sum())
    healthy = finite_gradients and bad_rows == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "finite_gradients": finite_gradients,
                                  "nan_rows": bad_rows}))
    sys.exit(0 if healthy else 1)
