"""S12: a top-k accuracy with reshape(-1).

The numbers are only added up, so a copy does no harm.

Symptom: none: 3 of 4 targets are among the two highest scores
Needs:   torch; cpu; about 2 s
Run:     python fix_topk.py
"""
import json
import sys

import torch


def accuracy(output, target, k):
    _, pred = output.topk(k, 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    correct_k = correct[:k].reshape(-1).float().sum(0)  # FIX: copies if it must
    return correct_k.item() / target.size(0)


if __name__ == "__main__":
    output = torch.tensor([[.1, .5, .4], [.7, .2, .1], [.3, .4, .3], [.1, .2, .7]])
    target = torch.tensor([2, 0, 1, 0])
    found = accuracy(output, target, 2)

    healthy = found == 0.75
    print("OBSERVED", json.dumps({"healthy": healthy, "top2_accuracy": found}))
    sys.exit(0 if healthy else 1)
