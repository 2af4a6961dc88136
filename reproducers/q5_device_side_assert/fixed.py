"""Q5: the same step on the CPU names the operation that fails.

On the CPU each operation checks its indices before it runs, and its message says what is wrong. On
the GPU the check is an assert in a kernel, and the message is the same for all.

Symptom: none: the cause of each of seven faulty steps is named, and the sound step passes
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

num_ids = 10
classes = 3
losses = {
    "cross_entropy": nn.functional.cross_entropy,
    "bce": lambda scores, labels: nn.functional.binary_cross_entropy(scores[:, 0], labels / 2),
    "gather": lambda scores, labels: scores.gather(1, labels[:, None]).mean(),
    "indexing": lambda scores, labels: scores[labels].mean(),
    "one_hot": lambda scores, labels: (scores * nn.functional.one_hot(labels, classes)).mean(),
    "sampling": lambda scores, labels: torch.multinomial(scores[0] * -1, 1),
}


def cause(loss, ids, labels):
    """The error of a training step on the CPU, whose message names the operation that failed."""
    try:
        losses[loss](embedding(ids).mean(1), labels)  # FIX: run the step where errors are named
    except (IndexError, RuntimeError) as error:
        return str(error)
    return "nothing"


if __name__ == "__main__":
    embedding = nn.Embedding(num_ids, classes)
    nn.init.constant_(embedding.weight, 2.0)  # above 1, as the output of a layer may be
    ids, labels = torch.arange(8).reshape(4, 2), torch.tensor([0, 1, 2, 0])
    steps = {"nothing": ("cross_entropy", ids, labels),
             "Target 3": ("cross_entropy", ids, labels + 1),
             "index out of range in self": ("cross_entropy", ids + 3, labels),
             "between 0 and 1": ("bce", ids, labels), "dimension 1": ("gather", ids, labels + 1),
             "dimension 0": ("indexing", ids, labels + 4),
             "Class values": ("one_hot", ids, labels + 1),
             "probability tensor": ("sampling", ids, labels)}
    found = [cause(*step) for step in steps.values()]

    named = [right in cause for right, cause in zip(steps, found)]
    healthy = named == [True] * 8
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found, "named": sum(named)}))
    sys.exit(0 if healthy else 1)
