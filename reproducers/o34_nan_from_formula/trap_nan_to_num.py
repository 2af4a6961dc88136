"""O34: nan_to_num on the loss leaves the gradient nan.

The loss becomes finite. In the backward pass its gradient of 0 is multiplied by the infinite
derivative of the logarithm at 0.

Symptom: the loss is 0.0, and all weights are nan after one step
Needs:   torch; cpu; about 3 s
Run:     python trap_nan_to_num.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

if __name__ == "__main__":
    probabilities = (1000 * model(torch.randn(8, 4))).softmax(1)
    entropy = -(probabilities * probabilities.log()).sum(1).mean()
    loss = torch.nan_to_num(entropy)  # BUG: hides the nan in the value only
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

    nan_weights = int(torch.isnan(model.weight).sum())
    healthy = nan_weights == 0 and bool(torch.isfinite(entropy))
    print("OBSERVED", json.dumps({"healthy": healthy, "entropy": str(entropy.item()),
                                  "loss": loss.item(), "nan_weights": nan_weights,
                                  "weights": model.weight.numel()}))
    sys.exit(0 if healthy else 1)
