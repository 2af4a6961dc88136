"""V3: the correct predictions of the test part are divided by the size of the whole.

Of 1,000 nodes or samples 150 are in the test part, so the accuracy is at most 0.15.

Symptom: no error: the accuracy stays at 0.15
Needs:   torch; cpu; about 3 s
Run:     python broken_denominator.py
"""
import json
import sys

import torch

torch.manual_seed(0)


if __name__ == "__main__":
    labels = torch.randint(3, (1000,))
    predicted = labels.clone()  # a perfect model
    test = torch.zeros(1000, dtype=torch.bool)
    test[:150] = True

    correct = (predicted[test] == labels[test]).sum().item()
    accuracy = correct / len(labels)  # BUG: of all, not of the test part

    healthy = accuracy == 1

    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": accuracy}))
    sys.exit(0 if healthy else 1)
