"""S11: an accuracy compares each prediction with its own label.

squeeze(1) makes both of shape (8,).

Symptom: none: perfect predictions have an accuracy of 1
Needs:   torch; cpu; about 2 s
Run:     python fix_accuracy.py
"""
import json
import sys

import torch

labels = torch.tensor([0, 1, 0, 1, 1, 0, 1, 0])
probabilities = torch.where(labels == 1, 0.9, 0.1).reshape(-1, 1)  # all right


def accuracy(probabilities, labels):
    predicted = (probabilities > 0.5).long()
    hits = predicted.squeeze(1) == labels  # FIX: both are (8,)
    return hits.float().mean().item(), int(hits.sum())


if __name__ == "__main__":
    right, hits = accuracy(probabilities, labels)
    wrong, _ = accuracy(1 - probabilities, labels)

    healthy = right == 1 and hits == len(labels) and wrong == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy_if_all_are_right": right,
                                  "accuracy_if_all_are_wrong": wrong, "hits": hits}))
    sys.exit(0 if healthy else 1)
