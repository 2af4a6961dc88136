"""V3: each epoch has a new meter.

The sum begins at 0.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_reset.py
"""
import json
import sys

import torch

torch.manual_seed(0)


class Meter:
    """Adds up the correct predictions."""

    def __init__(self):
        self.correct = 0

    def update(self, predicted, labels):
        self.correct += (predicted == labels).sum().item()


if __name__ == "__main__":
    labels = torch.randint(2, (50,))
    meter, accuracies = Meter(), []
    for epoch in range(3):
        meter = Meter()  # FIX: a new sum
        meter.update(labels.clone(), labels)
        accuracies.append(meter.correct / len(labels))

    healthy = max(accuracies) == 1

    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy_by_epoch": accuracies}))
    sys.exit(0 if healthy else 1)
