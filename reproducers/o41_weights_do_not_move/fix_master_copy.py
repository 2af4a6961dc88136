"""O41: the optimizer steps on float32 copies, and the model in bfloat16 is rounded from them.

The copies keep what is too small for bfloat16 until it adds up.

Symptom: none: all copies move in 10 steps
Needs:   torch; cpu; about 3 s
Run:     python fix_master_copy.py
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
    model = model.to(torch.bfloat16)
    master = [p.detach().float().requires_grad_() for p in model.parameters()]  # FIX: copies
    optimizer = torch.optim.AdamW(master, lr=1e-5)  # FIX: steps in float32
    before = [p.detach().clone() for p in model.parameters()]
    for step in range(10):
        optimizer.zero_grad()
        model.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        for p, copy in zip(model.parameters(), master):
            copy.grad = p.grad.float()
        optimizer.step()
        for p, copy in zip(model.parameters(), master):
            p.data.copy_(copy.detach())  # FIX: rounded from the copy

    with_gradient = sum(int((p.grad != 0).sum()) for p in model.parameters())
    moved = sum(int((p != old).sum()) for p, old in zip(master, before))
    total = sum(p.numel() for p in model.parameters())
    pairs = zip(model.parameters(), master)
    rounded = all(torch.equal(p, copy.to(p.dtype)) for p, copy in pairs)
    healthy = moved > 0.9 * total and rounded
    print("OBSERVED", json.dumps({"healthy": healthy, "weights": total,
                                  "with_gradient": with_gradient, "moved": moved,
                                  "model_is_rounded_copy": rounded}))
    sys.exit(0 if healthy else 1)
