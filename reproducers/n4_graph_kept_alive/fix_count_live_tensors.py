"""N4: a check that shows which tensors a loop keeps.

The check counts the tensors that the garbage collector knows, by shape and by whether they have a
graph. Two counts some steps apart show what a loop keeps.

Symptom: none: the check counts 5 kept losses with a graph, and nothing for a list of numbers
Needs:   torch; cpu; about 2 s
Run:     python fix_count_live_tensors.py
"""
import gc
import json
import sys
from collections import Counter

import torch
from torch import nn

steps = 5


def live_tensors():
    """How many tensors are alive, by shape and by whether they keep a graph."""
    gc.collect()
    return Counter((tuple(t.shape), "graph" if t.grad_fn is not None else "no graph")
                   for t in gc.get_objects() if type(t) is torch.Tensor)


if __name__ == "__main__":
    torch.manual_seed(0)
    net = nn.Linear(4, 2)
    losses, numbers = [], []
    before = live_tensors()
    for _ in range(steps):
        losses.append(net(torch.randn(3, 4)).pow(2).mean())  # dpkb: ignore[N4]
    grown = live_tensors() - before
    kept = grown[((), "graph")]
    before = live_tensors()
    for _ in range(steps):
        numbers.append(net(torch.randn(3, 4)).pow(2).mean().item())
    grown = live_tensors() - before

    healthy = kept == steps and sum(grown.values()) == 0  # FIX: finds the losses, no false alarm
    print("OBSERVED", json.dumps({"healthy": healthy, "kept_losses": kept,
                                  "kept_numbers": sum(grown.values()), "steps": steps}))
    sys.exit(0 if healthy else 1)
