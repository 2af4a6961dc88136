"""C37: kind_of() tells what wrote a file or folder, by its content.

It reads a few bytes, and loads nothing.

Symptom: none: five kinds are recognised
Needs:   torch, safetensors; cpu; about 3 s
Run:     python fix_kind_of_file.py
"""
import json
import os
import sys
import tempfile
import zipfile

import torch
from torch import nn

try:
    from safetensors.torch import save_file
except ImportError:
    print("SKIPPED safetensors is not installed")
    sys.exit(77)


def kind_of(path):
    """What wrote a file or a folder, by its content."""
    if os.path.isdir(path):
        names = " ".join(os.listdir(path))
        marks = {".metadata": "torch.distributed.checkpoint", "zero_pp_rank": "DeepSpeed",
                 "mp_rank": "DeepSpeed", "adapter_config": "peft", "config.json": "transformers"}
        return next((kind for mark, kind in marks.items() if mark in names), "other folder")
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as file:
            names = " ".join(file.namelist())
        marks = {"constants.pkl": "TorchScript", "archive_format": "torch.export",
                 "data.pkl": "torch.save"}
        return next((kind for mark, kind in marks.items() if mark in names), "zip")
    with open(path, "rb") as file:
        start = file.read(9)
    if start[8:] == b"{":
        return "safetensors"
    return {b"\x80": "pickle", b"v": "Git LFS pointer", b"<": "web page"}.get(start[:1], "other")


if __name__ == "__main__":
    model = nn.Linear(8, 4)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("a.bin", "b.pth", "c.pt", "d.ckpt", "e")]
        save_file(model.state_dict(), paths[0])
        torch.save(model.state_dict(), paths[1])
        torch.save(model.state_dict(), paths[2], _use_new_zipfile_serialization=False)
        torch.jit.save(torch.jit.script(model), paths[3])
        os.mkdir(paths[4])
        with open(os.path.join(paths[4], ".metadata"), "w"):
            pass
        kinds = [kind_of(path) for path in paths]  # FIX: not by the name

    expected = ["safetensors", "torch.save", "pickle", "TorchScript",
                "torch.distributed.checkpoint"]
    healthy = kinds == expected
    print("OBSERVED", json.dumps({"healthy": healthy, "kinds": kinds}))
    sys.exit(0 if healthy else 1)
