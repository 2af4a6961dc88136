"""S11: an accuracy compares every prediction with every label.

(8, 1) == (8,) is a matrix of 8 x 8 comparisons. Its mean is no accuracy: it does not depend on
which sample each prediction belongs to.

Symptom: perfect predictions have an accuracy of 0.5; the sum of hits exceeds the number of samples
Needs:   torch; cpu; about 2 s
Run:     python broken_accuracy.py
"""
import json
import sys

import torch

labels = torch.tensor([0, 1, 0, 1, 1, 0, 1, 0])
probabilities = torch.where(labels == 1, 0.9, 0.1).reshape(-1, 1)  # all right


def accuracy(probabilities, labels):
    predicted = (probabilities > 0.5).long()
    hits = predicted == labels  # BUG: (8, 1) == (8,) is (8, 8)
    return hits.float().mean().item(), int(hits.sum())


if __name__ == "__main__":
    right, hits = accuracy(probabilities, labels)
    wrong, _ = accuracy(1 - probabilities, labels)

    healthy = right == 1 and hits == len(labels) and wrong == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy_if_all_are_right": right,
                                  "accuracy_if_all_are_wrong": wrong, "hits": hits}))
    sys.exit(0 if healthy else 1)
