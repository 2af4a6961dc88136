"""D35: a loop also removes torch.compile, in any order of wrapping.

A compiled model keeps the original as `_orig_mod`, and may be inside or around the other wrapper.

Symptom: none: the same model is found in all four cases
Needs:   torch; cpu; about 3 s
Run:     python fix_compiled.py
"""
import json
import sys

import torch
from torch import nn

if tuple(int(n) for n in torch.__version__.split(".")[:2]) < (2, 4):
    print("SKIPPED torch.compile() is checked from torch 2.4 on")
    sys.exit(77)


def unwrap(model):  # FIX: removes wrappers until there are none
    """The model itself, under any number of wrappers."""
    wrappers = (nn.DataParallel, nn.parallel.DistributedDataParallel)
    while isinstance(model, wrappers) or hasattr(model, "_orig_mod"):
        model = model.module if isinstance(model, wrappers) else model._orig_mod
    return model


if __name__ == "__main__":
    net = nn.Linear(4, 1)
    wrapped = [net, nn.DataParallel(net), torch.compile(nn.DataParallel(net)),
               nn.DataParallel(torch.compile(net))]
    found = [unwrap(model) is net for model in wrapped]

    healthy = found == [True] * 4
    print("OBSERVED", json.dumps({"healthy": healthy, "found": sum(found), "of": len(wrapped)}))
    sys.exit(0 if healthy else 1)
