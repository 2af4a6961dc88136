"""O41: the weights of a norm are 1.0, and do not move in bfloat16 with a usual learning rate.

The numbers of bfloat16 next to 1.0 are 0.9961 and 1.0078. A step of 0.001 is rounded back.

Symptom: no error: none of the 32 weights of the norm moves
Needs:   torch; cpu; about 3 s
Run:     python broken_norm.py; python fix_norm.py
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
    model = model.to(torch.bfloat16)  # BUG: near 1.0, steps below 0.002 are lost
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
