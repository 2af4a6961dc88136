"""O41: a warm-up with / grows from the first step.

Symptom: none: all weights move
Needs:   torch; cpu; about 3 s
Run:     python fix_zero_rate.py
"""
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
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 100))  # FIX: / grows from step 1
    before = [p.detach().clone() for p in model.parameters()]
    for step in range(10):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        schedule.step()

    with_gradient = sum(int((p.grad != 0).sum()) for p in model.parameters())
    moved = sum(int((p != old).sum()) for p, old in zip(model.parameters(), before))
    total = sum(p.numel() for p in model.parameters())
    healthy = moved > 0.9 * total
    print("OBSERVED", json.dumps({"healthy": healthy, "weights": total,
                                  "with_gradient": with_gradient, "moved": moved}))
    sys.exit(0 if healthy else 1)
