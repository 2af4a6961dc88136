"""C35: an old file that you trust is converted once, and then loads by default.

A checkpoint is a pickle, and a pickle can call any function while it loads. Since torch 2.6
torch.load() accepts tensors, numbers, strings and plain containers, and refuses most other classes.

Symptom: none: the converted file loads
Needs:   torch; cpu; about 2 s
Run:     python fix_convert_once.py
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
        path = os.path.join(folder, "old.pt")
        torch.save({"model": model.state_dict(), "args": args}, path)
        state = torch.load(path, map_location="cpu", weights_only=False)  # FIX: this file is mine
        state["args"] = vars(state["args"])
        torch.save(state, path)
        loaded = torch.load(path, map_location="cpu")

    healthy = loaded["model"]["weight"].shape == (1, 4) and loaded["args"]["width"] == 4
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
