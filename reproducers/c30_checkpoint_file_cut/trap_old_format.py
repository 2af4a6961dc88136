"""C30: the old file format does not survive a cut either.

_use_new_zipfile_serialization=False writes the format of torch 1.5. A file that is cut is as
unreadable as in the new format; only the message differs.

Symptom: RuntimeError: unexpected EOF, expected N more bytes. The file might be corrupted.
Needs:   torch; cpu; about 2 s
Run:     python trap_old_format.py
"""
import json
import os
import sys
import tempfile

import torch


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        state = torch.nn.Linear(512, 512).state_dict()
        torch.save(state, path, _use_new_zipfile_serialization=False)  # BUG: changes the message
        os.truncate(path, os.path.getsize(path) // 2)  # the job died while it wrote this file
        loaded = torch.load(path)

    healthy = set(loaded) == set(state)
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
