"""A7: a running sum is replaced by a new tensor in place of an update.

Symptom: none: the sum is right
Needs:   torch; cpu; about 2 s
Run:     python fix_in_place.py
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
    with torch.inference_mode():
        running = torch.zeros(4)
    updates = torch.randn(3, 4)
    for update in updates:
        running = running + update  # FIX: a new tensor

    healthy = torch.allclose(running, updates.sum(0))
    print("OBSERVED", json.dumps({"healthy": healthy, "length": len(running)}))
    sys.exit(0 if healthy else 1)
