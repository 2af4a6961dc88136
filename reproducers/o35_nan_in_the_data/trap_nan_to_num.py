"""O35: nan_to_num() turns inf into 3.4e38, and the loss is not finite.

nan becomes 0, which may be a legal value. inf becomes the largest float32, and its square is inf
again.

Symptom: the inputs are finite up to 3.4e38, and after one step a weight is not finite
Needs:   torch; cpu; about 2 s
Run:     python trap_nan_to_num.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs = torch.rand(8, 2)
    inputs[3, 0] = float("inf")
    inputs = torch.nan_to_num(inputs)  # BUG: drop the sample instead
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(inputs).pow(2).mean()
    loss.backward()
    optimizer.step()

    finite = bool(torch.isfinite(inputs).all())
    bad_weights = int(sum((~torch.isfinite(p)).sum() for p in model.parameters()))
    healthy = finite and bad_weights == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "inputs_finite": finite,
                                  "largest_input": float("{:.1e}".format(inputs.max().item())),
                                  "bad_weights": bad_weights}))
    sys.exit(0 if healthy else 1)
