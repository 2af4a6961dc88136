"""P3: half precision is written into a float32 tensor under autocast.

autocast casts inputs of matrix products. It does not cast for x[i] = y, and torch.zeros() is
float32.

Symptom: Index put requires the source and destination dtypes match
Needs:   torch; cpu; about 2 s
Run:     python broken_write.py; python fix_write.py
"""
import json
import sys

import torch
from torch import nn

half = torch.bfloat16  # the same rules as float16, and every CPU has it

if not hasattr(torch, "autocast"):
    print("SKIPPED torch.autocast came with torch 1.10")
    sys.exit(77)


if __name__ == "__main__":
    torch.manual_seed(0)
    rows = torch.tensor([0, 2])
    with torch.autocast("cpu", dtype=half):
        found = nn.Linear(8, 4)(torch.randn(2, 8))
        table = torch.zeros(3, 4)  # BUG: float32
        table[rows] = found

    healthy = [bool(row.any()) for row in table] == [True, False, True]
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(table.dtype)}))
    sys.exit(0 if healthy else 1)
