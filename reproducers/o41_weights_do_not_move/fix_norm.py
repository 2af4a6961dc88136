"""O41: the weights of a norm in float32 move with a usual learning rate.

Symptom: none: all 32 weights of the norm move
Needs:   torch; cpu; about 3 s
Run:     python fix_norm.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)
if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (1, 13):
    print("SKIPPED torch 1.13 or newer is needed for AdamW in bfloat16 on the CPU")
    sys.exit(77)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale, self.head = nn.Parameter(torch.ones(32)), nn.Linear(32, 1)

    def forward(self, x):
        x = x * x.pow(2).mean(1, keepdim=True).add(1e-6).rsqrt()  # an RMSNorm
        x = x.to(self.head.weight.dtype)
        return self.head(x * self.scale).float()


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(64, 32)
    y = x[:, :1]
    model = Net()
    model = model.to(torch.float32)  # FIX: steps of 0.001 are kept
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    before = model.scale.detach().clone()
    for step in range(10):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

    weight = model.scale
    with_gradient, total = int((weight.grad != 0).sum()), weight.numel()
    moved = int((weight != before).sum())
    healthy = moved > 0.9 * total
    print("OBSERVED", json.dumps({"healthy": healthy, "weights": total,
                                  "with_gradient": with_gradient, "moved": moved}))
    sys.exit(0 if healthy else 1)
