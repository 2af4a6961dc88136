"""C35: torch.load() refuses a file that holds the model itself.

A checkpoint is a pickle, and a pickle can call any function while it loads. Since torch 2.6
torch.load() accepts tensors, numbers, strings and plain containers, and refuses most other classes.

Symptom: _pickle.UnpicklingError: Weights only load failed, and GLOBAL __main__.Net
Needs:   torch; cpu; about 2 s
Run:     python broken_whole_model.py
"""
import json
import os
import sys
import tempfile

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        torch.save(Net(), path)  # BUG: the object, not its state_dict()
        loaded = torch.load(path, map_location="cpu")

    healthy = set(loaded.state_dict()) == {"layer.weight", "layer.bias"}
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
