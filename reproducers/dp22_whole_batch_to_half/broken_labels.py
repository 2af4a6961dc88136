"""DP22: a batch cast to half precision as a whole, with its ids, labels and masks.

Half precision is for values that are computed with. Token ids, class labels and masks name
things: as bfloat16 or float16 they are refused where an index is due, and where they are not,
they have lost digits. bfloat16 holds every integer up to 256, and then every second one.

Symptom: an image classifier: the forward pass works, the loss refuses its labels
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
    batch = {name: value.to(dtype) for name, value in batch.items()}  # BUG: the labels, too
    logits = model(batch["pixels"])
    loss = F.cross_entropy(logits.float(), batch["labels"])

    healthy = bool(torch.isfinite(loss))
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": loss.item()}))
    sys.exit(0 if healthy else 1)
