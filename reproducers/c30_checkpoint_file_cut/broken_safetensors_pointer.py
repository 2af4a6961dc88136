"""C30: a safetensors file that is a Git LFS pointer, a web page or a pickle is refused.

The first eight bytes hold the length of the header. Those of a text are a huge number.

Symptom: SafetensorError: Error while deserializing header: header too large
Needs:   torch, safetensors; cpu; about 3 s
Run:     python broken_safetensors_pointer.py
"""
import json
import os
import sys
import tempfile

import torch  # noqa: F401: safetensors.torch needs it

try:
    from safetensors.torch import load_file
except ImportError:
    print("SKIPPED safetensors is not installed")
    sys.exit(77)

pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 4\n"

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        with open(path, "w") as file:
            file.write(pointer)  # BUG: git lfs pull was not run
        loaded = load_file(path)

    healthy = len(loaded) > 0
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
