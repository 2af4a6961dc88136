"""C30: a checkpoint of 0 bytes ends with an EOFError.

Opening a file for writing makes it empty. If the process dies then, or the disk is full, the file
keeps its name and 0 bytes.

Symptom: EOFError: Ran out of input, or an EOFError without a message
Needs:   torch; cpu; about 2 s
Run:     python broken_empty.py
"""
import json
import os
import sys
import tempfile

import torch


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        state = {"step": torch.tensor(1)}
        with open(path, "wb"):  # BUG: the job ended here, before torch.save() had written
            pass
        loaded = torch.load(path)

    healthy = set(loaded) == set(state)
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
