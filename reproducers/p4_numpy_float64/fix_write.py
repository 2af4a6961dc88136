"""P4: values are converted to the type of the tensor that they are written into.

to(table.dtype) also suits a table of a different type.

Symptom: none: the two rows have their values
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
    table[rows] = values.to(table.dtype)  # FIX

    healthy = table.tolist() == [0.0, 0.5, 0.0, 1.5]
    print("OBSERVED", json.dumps({"healthy": healthy, "table": table.tolist()}))
    sys.exit(0 if healthy else 1)
