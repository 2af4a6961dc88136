"""V3: the correct predictions are divided by the number of those that were counted.

The mask says how many they are.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_denominator.py
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
    accuracy = correct / test.sum().item()  # FIX: of the test part

    healthy = accuracy == 1

    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": accuracy}))
    sys.exit(0 if healthy else 1)
