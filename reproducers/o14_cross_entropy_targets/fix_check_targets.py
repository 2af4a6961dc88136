"""O14: a check of one batch finds what CrossEntropyLoss would refuse or misread.

The check looks at the dtype, shape and range of the labels. Then it gives the criterion a perfect
prediction, whose loss must be near 0.

Symptom: none: seven batches, five with a fault; the check names the fault of each
Needs:   torch; cpu; about 2 s
Run:     python fix_check_targets.py
"""
import json
import sys

import torch
from torch import nn


def target_problem(criterion, logits, labels, ignore_index=-100):  # FIX: ask before training
    """What the criterion would refuse or misread in this batch; None if nothing."""
    classes = logits.shape[1]
    if classes == 1:
        return "one class: the loss is always 0"
    if labels.dtype != torch.long:
        return "dtype"
    if labels.shape != logits.shape[:1] + logits.shape[2:]:
        return "shape"
    counted = labels[labels != ignore_index]
    if counted.numel() and not 0 <= counted.min() <= counted.max() < classes:
        return "range"
    best = nn.functional.one_hot(labels.clamp(0, classes - 1), classes).movedim(-1, 1)
    if criterion(100.0 * best, labels) > 0.01:
        return "a perfect prediction has a loss"
    return None


def softmax_first(logits, labels):
    return nn.functional.cross_entropy(logits.softmax(1), labels)  # dpkb: ignore[O14]


torch.manual_seed(0)
cross_entropy = nn.CrossEntropyLoss()
logits, labels = torch.randn(4, 3), torch.tensor([2, 0, 1, 2])
image_logits, image_labels = torch.randn(2, 3, 8, 8), torch.randint(3, (2, 8, 8))
one_logit, two_labels = torch.randn(4, 1), torch.tensor([0, 1, 1, 0])

if __name__ == "__main__":
    found = {"none": target_problem(cross_entropy, logits, labels),
             "none, images": target_problem(cross_entropy, image_logits, image_labels),
             "float labels": target_problem(cross_entropy, logits, labels.float()),
             "labels (4, 1)": target_problem(cross_entropy, logits, labels[:, None]),
             "labels from 1": target_problem(cross_entropy, logits, labels + 1),
             "one logit": target_problem(cross_entropy, one_logit, two_labels),
             "softmax first": target_problem(softmax_first, logits, labels)}
    healthy = list(found.values()) == [None, None, "dtype", "shape", "range",
                                       "one class: the loss is always 0",
                                       "a perfect prediction has a loss"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found_by_fault": found}))
    sys.exit(0 if healthy else 1)
