"""C30: the file is a Git LFS pointer, and was never a checkpoint.

git clone without LFS, and a browser link that needs a login, give a small text file with the name
of the checkpoint. Its first letter is in the message: v for LFS, < for a web page.

Symptom: UnpicklingError: invalid load key, 'v'.
Needs:   torch; cpu; about 2 s
Run:     python broken_not_a_checkpoint.py
"""
import json
import os
import sys
import tempfile

import torch


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        with open(path, "w") as file:  # BUG: what `git clone` without LFS leaves
            file.write("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 438\n")
        loaded = torch.load(path, map_location="cpu")

    healthy = "weight" in loaded
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
