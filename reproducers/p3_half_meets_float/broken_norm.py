"""P3: a LayerNorm in half precision gets float32 features.

The weights were cast, and the features were not.

Symptom: mixed dtype (CPU): expect parameter to have scalar type of Float
Needs:   torch; cpu; about 2 s
Run:     python broken_norm.py
"""
import json
import sys

import torch
from torch import nn

half = torch.bfloat16  # the same rules as float16, and every CPU has it


if __name__ == "__main__":
    norm = nn.LayerNorm(8).to(half)
    features = torch.randn(4, 8)  # BUG: float32
    normed = norm(features)

    healthy = list(normed.shape) == [4, 8]
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(normed.dtype)}))
    sys.exit(0 if healthy else 1)
