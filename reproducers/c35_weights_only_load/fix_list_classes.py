"""C35: the classes that a file needs are listed without loading it.

A checkpoint is a pickle, and a pickle can call any function while it loads. Since torch 2.6
torch.load() accepts tensors, numbers, strings and plain containers, and refuses most other classes.

Symptom: none: types.SimpleNamespace and pathlib.PurePosixPath are named
Needs:   torch; cpu; about 2 s
Run:     python fix_list_classes.py
"""
import json
import os
import pathlib
import sys
import tempfile
import types

import torch


if __name__ == "__main__":
    args = types.SimpleNamespace(lr=0.1, width=4)
    model = torch.nn.Linear(args.width, 1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        args.data = pathlib.PurePosixPath("data")
        torch.save({"model": model.state_dict(), "args": args}, path)
        names = torch.serialization.get_unsafe_globals_in_checkpoint(path)  # FIX: ask first

    healthy = len(names) == 2 and "types.SimpleNamespace" in names
    print("OBSERVED", json.dumps({"healthy": healthy, "names": sorted(names)}))
    sys.exit(0 if healthy else 1)
