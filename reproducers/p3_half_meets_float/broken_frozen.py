"""P3: a frozen encoder in half precision gets a batch in float32.

Large encoders are often loaded in half precision to save memory. Their inputs have to be cast as
well.

Symptom: expected scalar type BFloat16 but found Float, or mat1 and mat2 must have the same dtype
Needs:   torch; cpu; about 2 s
Run:     python broken_frozen.py; python fix_cast_both.py
"""
import json
import sys

import torch
from torch import nn

half = torch.bfloat16  # the same rules as float16, and every CPU has it


if __name__ == "__main__":
    encoder = nn.Linear(8, 4).to(half)
    images = torch.randn(16, 8)  # BUG: float32
    features = encoder(images)

    healthy = features.dtype == half and list(features.shape) == [16, 4]
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(features.dtype)}))
    sys.exit(0 if healthy else 1)
