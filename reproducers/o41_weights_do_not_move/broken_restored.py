"""O41: after a bad epoch, a copy of the best model replaces the model, and nothing moves any more.

The optimizer holds the parameters of the old model. The copy gets gradients and no step.

Symptom: no error: all weights have a gradient, and none moves
Needs:   torch; cpu; about 3 s
Run:     python broken_restored.py; python fix_restored.py
"""
import copy
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.head = nn.Linear(32, 64), nn.Linear(64, 1)

    def forward(self, x):
        x = x.to(self.head.weight.dtype)
        return self.head(self.layer(x)).float()


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(64, 32)
    y = x[:, :1]
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    best = copy.deepcopy(model)
    model = best  # BUG: back to the best weights, and the optimizer keeps the old model
    before = [p.detach().clone() for p in model.parameters()]
    for step in range(10):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

    with_gradient = sum(int((p.grad != 0).sum()) for p in model.parameters())
    moved = sum(int((p != old).sum()) for p, old in zip(model.parameters(), before))
    total = sum(p.numel() for p in model.parameters())
    healthy = moved > 0.9 * total
    print("OBSERVED", json.dumps({"healthy": healthy, "weights": total,
                                  "with_gradient": with_gradient, "moved": moved}))
    sys.exit(0 if healthy else 1)
