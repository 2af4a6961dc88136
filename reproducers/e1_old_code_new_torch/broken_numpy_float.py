"""E1: np.float does not exist any more.

It was Python's float under another name. numpy 1.24 removed it, with np.int and np.bool.

Symptom: AttributeError: module 'numpy' has no attribute 'float'.
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken_numpy_float.py; python fix_older_code.py
"""
import json
import sys

import numpy as np
import torch

if int(np.__version__.split(".")[0]) < 2:
    print("SKIPPED numpy is older than 2.0")
    sys.exit(77)

if __name__ == "__main__":
    boxes = torch.from_numpy(np.ones(4, dtype=np.float))  # BUG: float or np.float64

    healthy = boxes.dtype == torch.float64
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(boxes.dtype)}))
    sys.exit(0 if healthy else 1)
