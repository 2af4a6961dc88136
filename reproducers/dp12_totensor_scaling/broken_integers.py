"""DP12: int32 pixels stay int32 in ToTensor, and the first convolution refuses them.

ToTensor makes a float tensor of uint8 arrays only. Wider integers keep their dtype, and a layer
with float weights raises when it meets them.

Symptom: RuntimeError: expected scalar type Int but found Float
Needs:   torch, torchvision, numpy; cpu; about 4 s
Run:     python broken_integers.py
"""
import json
import sys

import numpy as np
from torch import nn

try:
    from torchvision.transforms import ToTensor
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)

if __name__ == "__main__":
    image = np.arange(256, dtype=np.int32).reshape(16, 16, 1).repeat(3, axis=2)
    tensor = ToTensor()(image)  # BUG: int32 in, int32 out; only uint8 becomes float
    features = nn.Conv2d(3, 4, 3, bias=False)(tensor[None])  # as a ResNet begins

    healthy = features.is_floating_point()
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(tensor.dtype)}))
    sys.exit(0 if healthy else 1)
