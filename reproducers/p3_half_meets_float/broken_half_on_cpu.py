"""P3: a float16 model runs on the CPU, where older versions of torch lack half precision.

The model was loaded or cast for a GPU, and the program fell back to the CPU.

Symptom: RuntimeError: "LayerNormKernelImpl" not implemented for 'Half'
Needs:   torch; cpu; about 2 s
Run:     python broken_half_on_cpu.py; python fix_half_on_cpu.py
"""
import json
import sys

import torch
from torch import nn

device = torch.device("cpu")


if __name__ == "__main__":
    torch.manual_seed(0)
    norm = nn.LayerNorm(8).to(device, torch.float16)  # BUG: for a GPU
    features = torch.randn(4, 8, dtype=torch.float16, device=device)
    normed = norm(features)

    healthy = list(normed.shape) == [4, 8] and bool(torch.isfinite(normed.float()).all())
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(normed.dtype)}))
    sys.exit(0 if healthy else 1)
