"""C35: the best score in a checkpoint is a NumPy number, and torch.load refuses it.

np.mean() returns an np.float64. It is no plain float for pickle, so the file names a function of
NumPy. The weights in the file are not the reason.

Symptom: WeightsUnpickler error: Unsupported global: GLOBAL numpy._core.multiarray.scalar
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken_numpy_scalar.py; python fix_plain_values.py
"""
import io
import json
import sys

import numpy as np
import torch

if __name__ == "__main__":
    model = torch.nn.Linear(4, 2)
    best = np.mean([0.5, 1.0])
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "best": best}, file)  # BUG: an np.float64
    file.seek(0)
    loaded = torch.load(file, map_location="cpu")

    same = torch.equal(loaded["model"]["weight"], model.weight)
    healthy = same and float(loaded["best"]) == 0.75
    print("OBSERVED", json.dumps({"healthy": healthy, "best": float(loaded["best"])}))
    sys.exit(0 if healthy else 1)
