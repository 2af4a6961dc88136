"""S16: features that are whole numbers make an int64 tensor, and a layer of float32 refuses it.

torch.tensor() takes the dtype from the numbers: int64 for 1, float32 for 1.0.

Symptom: RuntimeError: mat1 and mat2 must have the same dtype, but got Long and Float
Needs:   torch; cpu; about 2 s
Run:     python broken_integer.py; python fix_types.py
"""
import json
import sys

import torch
from torch import nn

ROWS = [[21, 0, 3, 1], [54, 1, 0, 2]]


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    inputs = torch.tensor(ROWS)  # BUG: int64
    output = model(inputs)

    healthy = output.dtype == torch.float32
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
