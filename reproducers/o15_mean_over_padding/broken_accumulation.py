"""O15: gradient accumulation weighs the tokens of small micro-batches too much.

Each micro-batch divides by its own number of tokens. The mean of the two means gives a token of the
short micro-batch fifteen times the weight of a token of the long one.

Symptom: accumulation over 2 micro-batches and one large batch give different gradients
Needs:   torch; cpu; about 2 s
Run:     python broken_accumulation.py; python fix_accumulation.py
"""
import json
import sys

import torch
from torch import nn


def accumulate(model, micro_batches):
    for inputs, labels in micro_batches:
        loss = nn.functional.cross_entropy(model(inputs), labels)
        (loss / len(micro_batches)).backward()  # BUG: 2 tokens weigh as much as 30


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
