"""A7: detach() of an inference tensor is an inference tensor.

Only a copy that is made outside of inference_mode is not.

Symptom: RuntimeError: Inference tensors cannot be saved for backward.
Needs:   torch; cpu; about 2 s
Run:     python trap_detach.py; python fix_clone.py
"""
import json
import sys

import torch
from torch import nn

if not hasattr(torch, "inference_mode"):
    print("SKIPPED torch 1.9 or newer is needed for inference_mode")
    sys.exit(77)

if __name__ == "__main__":
    torch.manual_seed(0)
    backbone, head = nn.Linear(8, 16), nn.Linear(16, 2)
    images, labels = torch.randn(32, 8), torch.randint(2, (32,))
    with torch.inference_mode():
        features = backbone(images)  # computed once, trained on for many epochs
    features = features.detach()  # BUG: no copy
    loss = nn.functional.cross_entropy(head(features), labels)
    loss.backward()

    gradients = int((head.weight.grad != 0).sum())
    healthy = gradients > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "gradients": gradients}))
    sys.exit(0 if healthy else 1)
