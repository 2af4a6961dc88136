"""C35: torch.load() refuses a checkpoint that holds the settings of the run.

A checkpoint is a pickle, and a pickle can call any function while it loads. Since torch 2.6
torch.load() accepts tensors, numbers, strings and plain containers, and refuses most other classes.

Symptom: _pickle.UnpicklingError: Weights only load failed, and GLOBAL types.SimpleNamespace
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys
import tempfile
import types

import torch


if __name__ == "__main__":
    args = types.SimpleNamespace(lr=0.1, width=4)
    model = torch.nn.Linear(args.width, 1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        torch.save({"model": model.state_dict(), "args": args}, path)  # BUG: an object of a class
        loaded = torch.load(path, map_location="cpu")

    healthy = loaded["model"]["weight"].shape == (1, 4)
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
