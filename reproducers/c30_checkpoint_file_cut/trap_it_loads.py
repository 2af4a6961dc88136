"""C30: torch.load() accepts a file with damaged bytes, and the weights are wrong.

A checkpoint has a checksum for each tensor. torch.load() does not compare it. It only notices a
file whose end is missing.

Symptom: 1 or 2 of 262144 weights are wrong, and nothing is raised
Needs:   torch; cpu; about 2 s
Run:     python trap_it_loads.py
"""
import json
import os
import sys
import tempfile

import torch


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        torch.manual_seed(0)
        state = torch.nn.Linear(512, 512).state_dict()
        torch.save(state, path)
        with open(path, "r+b") as file:
            file.seek(os.path.getsize(path) // 2)
            file.write(b"\xff\xff\xff\xff")  # a damaged block, in the middle of the weights
        loaded = torch.load(path)  # BUG: no error, so the file is taken for good
        wrong = int((loaded["weight"] != state["weight"]).sum())

    healthy = wrong == 0 and loaded["weight"].shape == (512, 512)
    print("OBSERVED", json.dumps({"healthy": healthy, "weights_wrong": wrong}))
    sys.exit(0 if healthy else 1)
