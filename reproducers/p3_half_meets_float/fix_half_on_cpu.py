"""P3: half precision only on a GPU, float32 on the CPU.

One dtype is chosen with the device, for the weights and for the inputs.

Symptom: none: the features are normalised on each device
Needs:   torch; cpu; about 2 s
Run:     python fix_half_on_cpu.py; python broken_half_on_cpu.py
"""
import json
import sys

import torch
from torch import nn

device = torch.device("cpu")


if __name__ == "__main__":
    torch.manual_seed(0)
    dtype = torch.float16 if device.type == "cuda" else torch.float32  # FIX: by the device
    norm = nn.LayerNorm(8).to(device, dtype)
    features = torch.randn(4, 8, dtype=dtype, device=device)
    normed = norm(features)

    healthy = list(normed.shape) == [4, 8] and bool(torch.isfinite(normed.float()).all())
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(normed.dtype)}))
    sys.exit(0 if healthy else 1)
