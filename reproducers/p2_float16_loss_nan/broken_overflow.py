"""P2: activations above 65504 are inf in float16, and the loss is nan.

The hidden values are 80000. bfloat16 and float32 hold them, float16 ends at 65504.

Symptom: the largest hidden value is inf, and the loss is nan
Needs:   torch; cpu; about 3 s
Run:     python broken_overflow.py; python fix_bfloat16.py; diff broken_overflow.py fix_bfloat16.py
"""
import json
import sys

import torch
from torch import nn

if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 4):
    print("SKIPPED float16 layers on the CPU need a newer torch, such as 2.4")
    sys.exit(77)

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 4))
with torch.no_grad():
    model[0].weight.fill_(1000.0)  # as in a model that was pretrained in bfloat16

if __name__ == "__main__":
    inputs, labels = torch.full((2, 8), 10.0), torch.tensor([0, 1])
    with torch.autocast("cpu", dtype=torch.float16):  # BUG: 80000 does not fit
        hidden = model[0](inputs)
        logits = model[1](hidden)
    loss = nn.functional.cross_entropy(logits.float(), labels)

    healthy = bool(torch.isfinite(loss)) and hidden.max().item() > 65504
    print("OBSERVED", json.dumps({"healthy": healthy, "largest_hidden": str(hidden.max().item()),
                                  "loss": str(round(loss.item(), 2))}))
    sys.exit(0 if healthy else 1)
