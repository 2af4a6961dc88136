"""Q2: truncation cuts off the answer, and the mean over no labels is nan.

The prompt has 6 tokens and label -100, the answer 2. With max_length=6 nothing is left to learn in
this sample. Weights and gradients stay finite until the step.

Symptom: loss nan in the first step, while data, weights and outputs are finite
Needs:   torch; cpu; about 2 s
Run:     python broken_labels_cut.py; python fix_labels_kept.py
"""
import json
import math
import sys

import torch
from torch import nn

torch.manual_seed(0)
max_length = 6
model = nn.Embedding(10, 10)


def cut(ids, labels):
    return ids[:max_length], labels[:max_length]  # BUG: the answer is at the end


if __name__ == "__main__":
    ids = torch.tensor([1, 4, 2, 7, 3, 5, 8, 9])
    labels = torch.tensor([-100, -100, -100, -100, -100, -100, 8, 9])
    ids, labels = cut(ids, labels)
    loss = nn.functional.cross_entropy(model(ids), labels, ignore_index=-100)

    healthy = math.isfinite(loss.item())
    print("OBSERVED", json.dumps({"healthy": healthy, "labels_left": int((labels >= 0).sum())}))
    sys.exit(0 if healthy else 1)
