"""C18: a strict load names the keys that do not fit.

The same names appear in both lists of the message, apart from the prefix.

Symptom: Missing key(s) in state_dict: "0.weight" ... Unexpected key(s): "module.0.weight"
Needs:   torch; cpu; about 2 s
Run:     python broken_strict.py
"""
import json
import sys

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


if __name__ == "__main__":
    torch.manual_seed(0)
    trained = build()
    checkpoint = nn.DataParallel(trained).state_dict()  # DDP names its keys in the same way
    model = build()
    report = model.load_state_dict(checkpoint)  # BUG: the prefix is still there

    loaded = [torch.equal(v, trained.state_dict()[k]) for k, v in model.state_dict().items()]
    healthy = all(loaded)
    print("OBSERVED", json.dumps({
        "healthy": healthy, "tensors_loaded": sum(loaded), "of": len(loaded),
        "missing": len(report.missing_keys), "unexpected": len(report.unexpected_keys),
        "first_key_in_file": list(checkpoint)[0]}))
    sys.exit(0 if healthy else 1)
