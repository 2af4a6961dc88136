"""O41: a model in bfloat16 is trained with a small learning rate, and most weights do not move.

bfloat16 has 8 significant bits. An update that is smaller than half the distance to the next number
is rounded away, in every step again.

Symptom: no error: nearly all weights have a gradient, and few move in 10 steps
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
        self.layer, self.head = nn.Linear(32, 64), nn.Linear(64, 1)

    def forward(self, x):
        x = x.to(self.head.weight.dtype)
        return self.head(self.layer(x)).float()


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(64, 32)
    y = x[:, :1]
    model = Net()
    model = model.to(torch.bfloat16)  # BUG: the updates are smaller than half a step of bfloat16
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
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
