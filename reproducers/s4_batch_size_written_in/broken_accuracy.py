"""S4: the accuracy is divided by batches times batch size.

The last batch is smaller, so len(loader) * batch_size is more than the number of samples.

Symptom: all predictions are right, and the accuracy is 0.833
Needs:   torch; cpu; about 2 s
Run:     python broken_accuracy.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

batch_size = 4
samples = 10  # batches of 4, 4 and 2


if __name__ == "__main__":
    predictions = torch.eye(samples)  # sample i is predicted as class i
    labels = torch.arange(samples)
    loader = DataLoader(list(zip(predictions, labels)), batch_size=batch_size)
    correct = seen = 0
    for scores, target in loader:
        correct += (scores.argmax(1) == target).sum().item()
        seen += len(target)
    accuracy = correct / (len(loader) * batch_size)  # BUG: 12, where 10 samples exist

    healthy = accuracy == 1.0
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 3),
                                  "samples_seen": seen}))
    sys.exit(0 if healthy else 1)
