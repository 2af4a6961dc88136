"""C18: the keys of a compiled model begin with `_orig_mod.`.

torch.compile returns a module that holds the original one under that name.

Symptom: 0 of 4 tensors loaded with strict=False, nothing is raised
Needs:   torch; cpu; about 5 s
Run:     python broken_compile.py
"""
import json
import sys

import torch
from torch import nn

release = tuple(int(n) for n in torch.__version__.split(".")[:2])
if release < (2, 0) or release < (2, 1) and sys.version_info >= (3, 11):
    print("SKIPPED torch.compile is needed: torch 2.0, or 2.1 with Python 3.11")
    sys.exit(77)


def build():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


if __name__ == "__main__":
    torch.manual_seed(0)
    trained = build()
    checkpoint = torch.compile(trained).state_dict()  # nothing is compiled before a call
    model = build()
    report = model.load_state_dict(checkpoint, strict=False)  # BUG: no name fits

    loaded = [torch.equal(v, trained.state_dict()[k]) for k, v in model.state_dict().items()]
    healthy = all(loaded)
    print("OBSERVED", json.dumps({
        "healthy": healthy, "tensors_loaded": sum(loaded), "of": len(loaded),
        "missing": len(report.missing_keys), "unexpected": len(report.unexpected_keys),
        "first_key_in_file": list(checkpoint)[0]}))
    sys.exit(0 if healthy else 1)
