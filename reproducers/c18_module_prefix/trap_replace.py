"""C18: replace("module.", "") also cuts inside a name.

It turns `module.submodule.weight` into `subweight`.

Symptom: 2 of 4 tensors loaded
Needs:   torch; cpu; about 2 s
Run:     python trap_replace.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    """A model that has a part called `model` and one called `submodule` of its own."""

    def __init__(self):
        super().__init__()
        self.model = nn.Linear(4, 8)
        self.submodule = nn.Linear(8, 2)


if __name__ == "__main__":
    torch.manual_seed(0)
    trained, model = Net(), Net()
    checkpoint = nn.DataParallel(trained).state_dict()
    checkpoint = {key.replace("module.", ""): value  # BUG: anywhere in the name
                  for key, value in checkpoint.items()}
    report = model.load_state_dict(checkpoint, strict=False)

    loaded = [torch.equal(v, trained.state_dict()[k]) for k, v in model.state_dict().items()]
    healthy = all(loaded)
    print("OBSERVED", json.dumps({
        "healthy": healthy, "tensors_loaded": sum(loaded), "of": len(loaded),
        "keys_made": report.unexpected_keys, "keys_wanted": report.missing_keys}))
    sys.exit(0 if healthy else 1)
