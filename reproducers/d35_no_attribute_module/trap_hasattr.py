"""D35: a model may have a submodule with the name module.

hasattr(model, "module") takes every attribute of that name for a wrapper. Here the model has a
part called `module`, so only that part is saved.

Symptom: no error, and 2 of 4 tensors are saved
Needs:   torch; cpu; about 3 s
Run:     python trap_hasattr.py
"""
import json
import sys

import torch
from torch import nn


class Adapter(nn.Module):
    """A pretrained part, called module, and a head."""

    def __init__(self):
        super().__init__()
        self.module = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)


def unwrap(model):
    return model.module if hasattr(model, "module") else model  # BUG: not only wrappers have it


if __name__ == "__main__":
    model = Adapter()
    saved = unwrap(model).state_dict()

    healthy = len(saved) == len(model.state_dict())
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors_saved": len(saved),
                                  "tensors": len(model.state_dict())}))
    sys.exit(0 if healthy else 1)
