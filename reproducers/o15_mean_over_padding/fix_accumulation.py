"""O15: sums divided once by all tokens make accumulation equal to one large batch.

The tokens of all micro-batches are counted first. Each micro-batch adds its sum, divided by that
count.

Symptom: none: the gradient is that of one large batch
Needs:   torch; cpu; about 2 s
Run:     python fix_accumulation.py
"""
import json
import sys

import torch
from torch import nn


def accumulate(model, micro_batches):
    total = sum(int((labels != -100).sum()) for _, labels in micro_batches)
    for inputs, labels in micro_batches:
        loss = nn.functional.cross_entropy(model(inputs), labels, reduction="sum")
        (loss / total).backward()  # FIX: every token weighs the same


def one_batch(model, micro_batches):
    inputs, labels = (torch.cat(parts) for parts in zip(*micro_batches))
    nn.functional.cross_entropy(model(inputs), labels).backward()


def gradient(run):
    model.zero_grad()
    run(model, micro_batches)
    return model.weight.grad.clone()


torch.manual_seed(0)
model = nn.Linear(8, 5)
tokens_by_micro_batch = [2, 30]
micro_batches = [(torch.randn(n, 8), torch.randint(5, (n,))) for n in tokens_by_micro_batch]

if __name__ == "__main__":
    expected, accumulated = gradient(one_batch), gradient(accumulate)

    error = round(((accumulated - expected).norm() / expected.norm()).item(), 3)
    healthy = error < 0.001
    print("OBSERVED", json.dumps({"healthy": healthy, "relative_error_of_gradient": error,
                                  "tokens_by_micro_batch": tokens_by_micro_batch}))
    sys.exit(0 if healthy else 1)
