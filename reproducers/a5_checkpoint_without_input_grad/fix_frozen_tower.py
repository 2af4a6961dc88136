"""A5: in a fully frozen tower the warning is harmless.

A frozen vision tower is checkpointed, and a head behind it is trained. Nothing in the tower
needs a gradient, so nothing is lost. The same holds for a forward pass under no_grad().

Symptom: two warnings; the gradient of the head is the same as without a checkpoint
Needs:   torch; cpu; about 2 s
Run:     python fix_frozen_tower.py
"""
import json
import sys
import warnings

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
tower = nn.Linear(8, 8)
tower.requires_grad_(False)  # FIX: nothing in the checkpointed part is to be trained
head = nn.Linear(8, 1)
inputs = torch.randn(4, 8)


def gradient(features):
    """The gradient of the head for these features."""
    head.zero_grad()
    head(features).pow(2).mean().backward()
    return head.weight.grad.clone()


if __name__ == "__main__":
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with_checkpoint = gradient(checkpoint(tower, inputs))
        parameters = [*tower.parameters(), *head.parameters()]
        missing = sum(p.requires_grad and p.grad is None for p in parameters)
        head.requires_grad_(False)
        with torch.no_grad():
            evaluated = checkpoint(head, inputs)
        head.requires_grad_(True)
    warned = sum("None of the inputs have requires_grad" in str(one.message) for one in caught)
    error = (with_checkpoint - gradient(tower(inputs))).abs().max().item()
    difference = (evaluated - head(inputs)).abs().max().item()

    learns = with_checkpoint.abs().max().item() > 0
    healthy = error == difference == 0 and warned == 2 and learns and missing == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "warnings": warned, "gradient_error": error,
                                  "unreached": missing}))
    sys.exit(0 if healthy else 1)
