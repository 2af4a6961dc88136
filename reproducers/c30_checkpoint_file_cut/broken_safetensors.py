"""C30: a safetensors file without its end is refused.

Its header says how many bytes follow. A download or a save that stopped leaves fewer.

Symptom: SafetensorError: Error while deserializing header: incomplete metadata, ...
Needs:   torch, safetensors; cpu; about 3 s
Run:     python broken_safetensors.py
"""
import json
import os
import sys
import tempfile

import torch

try:
    from safetensors.torch import load_file, save_file
except ImportError:
    print("SKIPPED safetensors is not installed")
    sys.exit(77)

weights = {"weight": torch.ones(100, 100)}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        save_file(weights, path)
        os.truncate(path, os.path.getsize(path) // 2)  # BUG: the second half is missing
        loaded = load_file(path)

    healthy = torch.equal(loaded["weight"], weights["weight"])
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
