"""O15: the mean of the loss is taken over the padding, too.

A batch of sequences is padded to its longest member. Where padded positions are zeroed and then
averaged with the rest, or averages of batches with unequal numbers of tokens are averaged again,
what a token counts for depends on the company that it is in.

Symptom: gradient accumulation over 2 micro-batches gives another gradient than one large batch
Needs:   torch; cpu; about 2 s
Run:     python broken_accumulation.py; python fix_accumulation.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 5)
tokens_by_micro_batch = [2, 30]
micro_batches = [(torch.randn(n, 8), torch.randint(5, (n,))) for n in tokens_by_micro_batch]


def accumulate():
    for inputs, labels in micro_batches:
        loss = nn.functional.cross_entropy(model(inputs), labels)
        (loss / len(micro_batches)).backward()  # BUG: 2 tokens weigh as much as 30


def gradient(run):
    model.zero_grad()
    run()
    return model.weight.grad.clone()


def one_batch():
    inputs, labels = (torch.cat(parts) for parts in zip(*micro_batches))
    nn.functional.cross_entropy(model(inputs), labels).backward()


if __name__ == "__main__":
    expected, accumulated = gradient(one_batch), gradient(accumulate)

    error = round(((accumulated - expected).norm() / expected.norm()).item(), 3)
    healthy = error < 0.001
    print("OBSERVED", json.dumps({"healthy": healthy, "relative_error_of_gradient": error,
                                  "tokens_by_micro_batch": tokens_by_micro_batch}))
    sys.exit(0 if healthy else 1)
