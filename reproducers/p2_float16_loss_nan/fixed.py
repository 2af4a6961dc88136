"""P2: float32 weights under bfloat16 autocast train without nan.

The weights, the gradients and the state of Adam are float32. Autocast computes the layers in
bfloat16, which has the range of float32.

Symptom: none: 50 steps, and the loss falls
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
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

if __name__ == "__main__":
    losses = []
    for _ in range(50):
        with torch.autocast("cpu", dtype=torch.bfloat16):  # FIX: float32 weights
            out = model(inputs)
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
