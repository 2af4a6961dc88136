"""P2: float16 autocast without a GradScaler: the loss flattens, with no nan and no message.

autocast("cuda") without a dtype is float16. The mean over a million pixels divides each gradient
by a million, and float16 rounds what is below 3e-8 to 0: small errors are never corrected.

Symptom: the loss stops at 2e-5, and all gradients of the output are 0
Needs:   torch; cpu; about 3 s
Run:     python broken_no_loss_scale.py; python fix_loss_scale.py
"""
import json
import sys

import torch
from torch import nn

if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 4):
    print("SKIPPED float16 layers on the CPU need a newer torch, such as 2.4")
    sys.exit(77)

torch.manual_seed(0)
pixels = torch.randn(2**20, 4)  # 16 images of 256 x 256
depth = 0.1 * pixels.mean(dim=1, keepdim=True)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)

if __name__ == "__main__":
    for _ in range(30):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):  # the default on "cuda"
            predicted = model(pixels)
            loss = nn.functional.mse_loss(predicted.float(), depth)
        predicted.retain_grad()
        loss.backward()  # BUG: gradients below 3e-8 become 0
        optimizer.step()  # BUG

    zero_gradients = (predicted.grad == 0).float().mean().item()
    healthy = loss.item() < 1e-7 and zero_gradients < 0.5
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": f"{loss.item():.0e}",
                                  "zero_gradients": round(zero_gradients, 2)}))
    sys.exit(0 if healthy else 1)
