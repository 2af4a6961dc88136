"""V3: a meter goes on with the sum of the last epoch.

Each epoch adds to the same sum, which is divided by one epoch's samples.

Symptom: no error: accuracies 1, 2, 3
Needs:   torch; cpu; about 3 s
Run:     python broken_not_reset.py
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
        # BUG: still the meter of the last epoch
        meter.update(labels.clone(), labels)
        accuracies.append(meter.correct / len(labels))

    healthy = max(accuracies) == 1

    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy_by_epoch": accuracies}))
    sys.exit(0 if healthy else 1)
