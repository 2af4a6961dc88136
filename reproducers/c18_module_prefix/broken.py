"""C18: the keys of a wrapped model have a prefix, and strict=False loads nothing.

DataParallel, DDP and torch.compile hold the model as a submodule, so its keys begin with `module.`
or `_orig_mod.`. load_state_dict() copies where names are equal; strict=False ignores the rest, here
all keys.

Symptom: 4 keys missing, 4 unexpected, 0 of 4 tensors loaded; nothing is raised
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def without_prefix(state, prefix):
    return {k[len(prefix):] if k.startswith(prefix) else k: v for k, v in state.items()}


if __name__ == "__main__":
    torch.manual_seed(0)
    trained = build()
    checkpoint = nn.DataParallel(trained).state_dict()  # DDP names its keys in the same way
    model = build()
    report = model.load_state_dict(checkpoint, strict=False)  # BUG: no name fits

    loaded = [torch.equal(v, trained.state_dict()[k]) for k, v in model.state_dict().items()]
    healthy = all(loaded)
    print("OBSERVED", json.dumps({
        "healthy": healthy, "tensors_loaded": sum(loaded), "of": len(loaded),
        "missing": len(report.missing_keys), "unexpected": len(report.unexpected_keys),
        "first_key_in_file": list(checkpoint)[0]}))
    sys.exit(0 if healthy else 1)
