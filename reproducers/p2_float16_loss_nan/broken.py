"""P2: Adam on float16 weights makes them nan in the first step.

Adam squares the gradients, and in float16 squares below 3e-8 are 0. Its eps of 1e-8 is 0 as well,
so it divides by zero. The loss of that step is still normal.

Symptom: the first loss is finite, all later ones are nan
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 4):
    print("SKIPPED float16 layers on the CPU need a newer torch, such as 2.4")
    sys.exit(77)

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
inputs, labels = torch.randn(64, 8), torch.randn(64, 1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
model.half()  # BUG: weights, gradients and Adam all in float16
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

if __name__ == "__main__":
    losses = []
    for _ in range(50):
        out = model(inputs.half())
        loss = nn.functional.mse_loss(out.float(), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    finite = all(bool(torch.isfinite(p).all()) for p in model.parameters())
    healthy = finite and losses[-1] < losses[0] and len(losses) == 50
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 2),
                                  "loss_last": str(round(losses[-1], 2)),
                                  "weights_finite": finite}))
    sys.exit(0 if healthy else 1)
