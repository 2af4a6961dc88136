"""C35: float() and str() turn the best score and the version of torch into plain values.

A file with tensors, plain numbers, strings and containers loads with and without weights_only.

Symptom: none: the weights, the score and the version come back
Needs:   torch, numpy; cpu; about 2 s
Run:     python fix_plain_values.py; python broken_numpy_scalar.py; python broken_torch_version.py
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
    torch.save({"model": model.state_dict(), "best": float(best),  # FIX: a plain number
                "torch": str(torch.__version__)}, file)  # FIX: a plain string
    file.seek(0)
    loaded = torch.load(file, map_location="cpu")

    same = torch.equal(loaded["model"]["weight"], model.weight)
    healthy = same and loaded["best"] == 0.75 and loaded["torch"] == torch.__version__
    print("OBSERVED", json.dumps({"healthy": healthy, "best": loaded["best"]}))
    sys.exit(0 if healthy else 1)
