"""P4: float64 values are written into a float32 tensor by index.

x[rows] = values does not convert if rows is a tensor.

Symptom: RuntimeError: Index put requires the source and destination dtypes match, got Float for the
destination and Double for the source.
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken_write.py; python fix_write.py
"""
import json
import sys

import numpy as np
import torch


if __name__ == "__main__":
    table = torch.zeros(4)
    rows, values = torch.tensor([1, 3]), torch.from_numpy(np.array([0.5, 1.5]))
    table[rows] = values  # BUG: float64 into float32

    healthy = table.tolist() == [0.0, 0.5, 0.0, 1.5]
    print("OBSERVED", json.dumps({"healthy": healthy, "table": table.tolist()}))
    sys.exit(0 if healthy else 1)
