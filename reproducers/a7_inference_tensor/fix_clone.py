"""A7: a clone of the features, made outside inference_mode, is an ordinary tensor.

Symptom: none: the head has gradients
Needs:   torch; cpu; about 2 s
Run:     python fix_clone.py
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
    features = features.clone()  # FIX: outside of inference_mode
    loss = nn.functional.cross_entropy(head(features), labels)
    loss.backward()

    gradients = int((head.weight.grad != 0).sum())
    healthy = gradients > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "gradients": gradients}))
    sys.exit(0 if healthy else 1)
