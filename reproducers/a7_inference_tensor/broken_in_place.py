"""A7: a running sum that was made under inference_mode is updated in place outside.

Symptom: RuntimeError: Inplace update to inference tensor outside InferenceMode is not allowed.
Needs:   torch; cpu; about 2 s
Run:     python broken_in_place.py; python fix_in_place.py
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
        running += update  # BUG: an update in place of an inference tensor

    healthy = torch.allclose(running, updates.sum(0))
    print("OBSERVED", json.dumps({"healthy": healthy, "length": len(running)}))
    sys.exit(0 if healthy else 1)
