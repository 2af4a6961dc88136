"""DP22: casting the whole batch casts the class labels, and the loss refuses them.

An image classifier has no ids, so the forward pass works. cross_entropy needs its class labels as
int64.

Symptom: RuntimeError: expected target dtype to be Long or Byte, but got BFloat16 (2.15)
Needs:   torch; cpu; about 2 s
Run:     python broken_labels.py; python fixed.py
"""
import json
import sys

import torch
from torch.nn import functional as F

torch.manual_seed(0)
dtype = torch.bfloat16


if __name__ == "__main__":
    model = torch.nn.Linear(3, 5).to(dtype)
    batch = {"pixels": torch.randn(4, 3), "labels": torch.tensor([0, 4, 2, 1])}
    batch = {name: value.to(dtype) for name, value in batch.items()}  # BUG: the labels as well
    logits = model(batch["pixels"])
    loss = F.cross_entropy(logits.float(), batch["labels"])

    healthy = bool(torch.isfinite(loss))
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": loss.item()}))
    sys.exit(0 if healthy else 1)
