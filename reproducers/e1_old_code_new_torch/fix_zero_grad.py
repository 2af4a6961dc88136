"""E1: zero_grad(set_to_none=False) leaves zeros.

Since torch 2.0 zero_grad() sets .grad to None. With set_to_none=False it writes zeros, as before.

Symptom: none: the last step shrinks the weights by 5 %
Needs:   torch; cpu; about 2 s
Run:     python broken_zero_grad.py; python fix_zero_grad.py
"""
import json
import sys

import torch

penalty = 0.5


if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)  # FIX: zeros
    before = model.weight.detach().clone()
    model.weight.grad += penalty * before  # a gradient of your own, added to the zeros
    optimizer.step()

    ratio = (model.weight / before).mean().item()
    healthy = abs(ratio - 0.95) < 1e-4
    print("OBSERVED", json.dumps({"healthy": healthy, "weight_ratio": round(ratio, 4)}))
    sys.exit(0 if healthy else 1)
