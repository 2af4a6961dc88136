"""S4: drop_last=True in validation leaves samples out.

The two samples of the last batch are never evaluated. Here they are the wrong ones.

Symptom: the accuracy is 1, where 8 of 10 predictions are right
Needs:   torch; cpu; about 2 s
Run:     python trap_drop_last.py
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
    labels = torch.tensor([0, 1, 2, 3, 4, 5, 6, 7, 0, 0])  # the last two are predicted wrong
    loader = DataLoader(list(zip(predictions, labels)), batch_size=batch_size,
                        drop_last=True)  # BUG: 2 of 10 samples are left out
    correct = seen = 0
    for scores, target in loader:
        correct += (scores.argmax(1) == target).sum().item()
        seen += len(target)
    accuracy = correct / seen

    healthy = accuracy == 0.8
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 3),
                                  "samples_seen": seen}))
    sys.exit(0 if healthy else 1)
