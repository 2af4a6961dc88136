"""S12: a top-k accuracy from an old example: correct[:k].view(-1).

pred.t() makes every later tensor a transposed one. Up to torch 1.6 eq() returned a contiguous
tensor for it, so much old code has this line.

Symptom: RuntimeError: view size is not compatible with input tensor's size and stride
Needs:   torch; cpu; about 2 s
Run:     python broken_topk.py
"""
import json
import sys

import torch


def accuracy(output, target, k):
    _, pred = output.topk(k, 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    correct_k = correct[:k].view(-1).float().sum(0)  # BUG: a transposed tensor
    return correct_k.item() / target.size(0)


if __name__ == "__main__":
    output = torch.tensor([[.1, .5, .4], [.7, .2, .1], [.3, .4, .3], [.1, .2, .7]])
    target = torch.tensor([2, 0, 1, 0])
    found = accuracy(output, target, 2)

    healthy = found == 0.75
    print("OBSERVED", json.dumps({"healthy": healthy, "top2_accuracy": found}))
    sys.exit(0 if healthy else 1)
