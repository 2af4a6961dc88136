"""C18: the state of the model inside the wrapper has no prefix.

wrapped.module is the model itself.

Symptom: none: the keys fit as they are, and a strict load works
Needs:   torch; cpu; about 2 s
Run:     python fix_save_inner.py
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
    wrapped = nn.DataParallel(trained)
    checkpoint = wrapped.module.state_dict()  # FIX: save what is inside the wrapper
    model = build()
    report = model.load_state_dict(checkpoint)

    loaded = [torch.equal(v, trained.state_dict()[k]) for k, v in model.state_dict().items()]
    healthy = sum(loaded) == len(checkpoint)
    print("OBSERVED", json.dumps({
        "healthy": healthy, "tensors_loaded": sum(loaded), "of": len(loaded),
        "missing": len(report.missing_keys), "unexpected": len(report.unexpected_keys),
        "first_key_in_file": list(checkpoint)[0]}))
    sys.exit(0 if healthy else 1)
