"""N1: calling forward() does not switch autocast off.

Autocast changes single operators, not module calls. It does not matter whether forward() was called
directly.

Symptom: forward() returns bfloat16 under autocast, as the call does
Needs:   torch; cpu; about 2 s
Run:     python trap_autocast.py
"""
import json
import sys

import torch
from torch import nn

if not hasattr(torch, "autocast"):
    print("SKIPPED torch.autocast is not in this torch; 1.10 or newer is needed")
    sys.exit(77)

if __name__ == "__main__":
    torch.manual_seed(0)
    layer, x = nn.Linear(4, 2), torch.randn(3, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        called = layer(x)
        forwarded = layer.forward(x)  # BUG: meant to stay in float32; autocast works on operators

    healthy = forwarded.dtype == torch.float32
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype_by_call": str(called.dtype),
                                  "dtype_by_forward": str(forwarded.dtype)}))
    sys.exit(0 if healthy else 1)
