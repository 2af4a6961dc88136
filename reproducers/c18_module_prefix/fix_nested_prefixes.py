"""C18: prefixes of several wrappers, one inside the other, are removed together.

DDP around a compiled model gives `module._orig_mod.`. The loop cuts wrapper names from the front as
long as there is one.

Symptom: none: 4 of 4 tensors are loaded
Needs:   torch; cpu; about 2 s
Run:     python fix_nested_prefixes.py
"""
import json
import sys

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def without_wrappers(state, wrappers=("module.", "_orig_mod.", "_fsdp_wrapped_module.")):
    result = {}
    for key, value in state.items():
        while key.startswith(wrappers):
            key = key[key.index(".") + 1:]
        result[key] = value
    return result


if __name__ == "__main__":
    torch.manual_seed(0)
    trained = build()
    compiled = nn.Module()  # as torch.compile names it
    compiled.add_module("_orig_mod", trained)
    checkpoint = nn.DataParallel(compiled).state_dict()  # keys: module._orig_mod.0.weight ...
    model = build()
    report = model.load_state_dict(without_wrappers(checkpoint))  # FIX

    loaded = [torch.equal(v, trained.state_dict()[k]) for k, v in model.state_dict().items()]
    healthy = all(loaded)
    print("OBSERVED", json.dumps({
        "healthy": healthy, "tensors_loaded": sum(loaded), "of": len(loaded),
        "missing": len(report.missing_keys), "unexpected": len(report.unexpected_keys),
        "first_key_in_file": list(checkpoint)[0]}))
    sys.exit(0 if healthy else 1)
