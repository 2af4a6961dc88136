"""O15: ignore_index leaves the padding out of the sum and the count.

With the default reduction, CrossEntropyLoss leaves targets of -100 out of the sum and out of the
count.

Symptom: none: the same 6 tokens have a loss of 1.371 at every width
Needs:   torch; cpu; about 2 s
Run:     python fix_ignore_index.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
classes, length = 5, 6
sequence = torch.randn(length, classes)  # the logits of one sequence, and its labels
labels = torch.randint(classes, (length,))


def loss_of(logits, targets, mask):
    targets = targets.masked_fill(mask == 0, -100)
    return nn.functional.cross_entropy(logits.transpose(1, 2), targets)  # FIX: skips -100


def padded_to(width):
    """The loss and the gradient of this one sequence in a batch that is width tokens wide."""
    logits = torch.zeros(1, width, classes)
    logits[0, :length] = sequence
    targets, mask = torch.zeros(1, width, dtype=torch.long), torch.zeros(1, width)
    targets[0, :length], mask[0, :length] = labels, 1.0
    logits.requires_grad_()
    loss = loss_of(logits, targets, mask)
    loss.backward()
    return loss.item(), logits.grad.norm().item()


if __name__ == "__main__":
    padded_widths = [6, 12, 30]
    results = [padded_to(width) for width in padded_widths]

    losses = [round(loss, 3) for loss, _ in results]
    gradients = [round(gradient, 3) for _, gradient in results]
    healthy = len(set(losses)) == 1 and len(set(gradients)) == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "padded_widths": padded_widths,
                                  "loss_by_padded_width": losses,
                                  "grad_norm_by_padded_width": gradients}))
    sys.exit(0 if healthy else 1)
