"""O34: clamp(p, 1e-8, 1 - 1e-8) does nothing at 1, because 1 - 1e-8 is 1 in float32.

float32 has 24 significant bits. The largest number below 1 is 0.99999994, so the clamp lets 1
pass, and log(1 - p) is the logarithm of 0.

Symptom: the loss is nan in spite of the clamp
Needs:   torch; cpu; about 3 s
Run:     python trap_clamp_1e8.py
"""
import json
import sys

import torch

p = torch.tensor([0.0, 0.5, 1.0], requires_grad=True)
target = torch.tensor([0.0, 1.0, 1.0])

if __name__ == "__main__":
    eps = 1e-8
    clamped = p.clamp(eps, 1 - eps)  # BUG: 1e-7 would be large enough, logits are better
    loss = -(target * clamped.log() + (1 - target) * (1 - clamped).log()).mean()
    loss.backward()

    healthy = bool(torch.isfinite(loss)) and bool(torch.isfinite(p.grad).all())
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": str(loss.item()),
                                  "largest_clamped": clamped.max().item()}))
    sys.exit(0 if healthy else 1)
