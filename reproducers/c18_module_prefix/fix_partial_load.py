"""C18: a partial load that says what it did not load.

strict=False is right if some layers are new. Name the layers that may be missing, and let
everything else be an error.

Symptom: none: the backbone is loaded, and only the new head is missing
Needs:   torch; cpu; about 2 s
Run:     python fix_partial_load.py
"""
import json
import sys

import torch
from torch import nn


def build():
    return nn.ModuleDict({"backbone": nn.Linear(8, 16), "head": nn.Linear(16, 2)})


if __name__ == "__main__":
    torch.manual_seed(0)
    state = {k: v for k, v in build().state_dict().items() if k.startswith("backbone.")}
    model = build()

    new = {"head.weight", "head.bias"}  # FIX: the layers that may be missing
    report = model.load_state_dict(state, strict=False)
    assert set(report.missing_keys) == new and not report.unexpected_keys, report

    own = model.state_dict()
    loaded = sum(own[k].numel() for k in state if k in own)
    total = sum(v.numel() for v in own.values())
    print(f"loaded {loaded / total:.1%} of the numbers")

    healthy = torch.equal(own["backbone.weight"], state["backbone.weight"]) and 0 < loaded < total
    print("OBSERVED", json.dumps({"healthy": healthy, "numbers_loaded": loaded, "of": total}))
    sys.exit(0 if healthy else 1)
