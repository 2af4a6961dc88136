"""C35: with weights_only=False a downloaded file can run any code.

A checkpoint is a pickle, and a pickle can call any function while it loads. Since torch 2.6
torch.load() accepts tensors, numbers, strings and plain containers, and refuses most other classes.

Symptom: the file has run a function of its choice while it was loaded
Needs:   torch; cpu; about 2 s
Run:     python trap_weights_only_false.py
"""
import json
import os
import sys
import tempfile

import torch

if tuple(int(n) for n in torch.__version__.split(".")[:2]) < (1, 13):
    print("SKIPPED weights_only needs torch 1.13")
    sys.exit(77)


class Payload:
    """What somebody else can put into a file: pickle calls os.mkdir(path) while it loads."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "downloaded.pt")
        trace = os.path.join(folder, "made_while_loading")
        torch.save({"model": torch.nn.Linear(4, 1).state_dict(), "args": Payload(trace)}, path)
        loaded = torch.load(path, weights_only=False)  # BUG: runs what the file says
        code_ran = os.path.exists(trace)

    healthy = not code_ran and loaded["model"]["weight"].shape == (1, 4)
    print("OBSERVED", json.dumps({"healthy": healthy, "code_ran": code_ran}))
    sys.exit(0 if healthy else 1)
