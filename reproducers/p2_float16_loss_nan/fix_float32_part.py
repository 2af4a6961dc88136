"""P2: the module that overflows runs in float32.

Autocast is switched off for this module, and its inputs are cast. The layer that takes its large
outputs runs in float32 as well: as float16 they would be inf again.

Symptom: none: the scale stays above 1, and the weights move
Needs:   torch; cpu; about 3 s
Run:     python broken_scale_falls.py; python fix_float32_part.py
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
model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 4))
with torch.no_grad():
    model[0].weight.fill_(1000.0)  # as in a model that was pretrained in bfloat16
before = model[1].weight.detach().clone()
optimizer = torch.optim.SGD(model[1].parameters(), lr=1e-6)
scaler = torch.amp.GradScaler("cpu")

if __name__ == "__main__":
    inputs, labels = torch.full((2, 8), 10.0), torch.tensor([0, 1])
    for _ in range(40):
        with torch.autocast("cpu", dtype=torch.float16):
            with torch.autocast("cpu", enabled=False):  # FIX: this part in float32
                hidden = model[0](inputs.float())
        logits = model[1](hidden)
        loss = nn.functional.cross_entropy(logits.float(), labels)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)  # dpkb: ignore[O2]
        scaler.update()

    moved = not torch.equal(before, model[1].weight)
    healthy = moved and bool(torch.isfinite(loss)) and scaler.get_scale() >= 1
    print("OBSERVED", json.dumps({"healthy": healthy, "scale": scaler.get_scale(),
                                  "weights_moved": moved, "loss": str(round(loss.item(), 2))}))
    sys.exit(0 if healthy else 1)
