"""Q5: clamp() removes the assert and merges two classes.

The file counts its classes from 1. clamp() makes the highest label valid and leaves all others one
too high, so nothing fails and two of three classes are wrong.

Symptom: a loss near 0, and an accuracy of 0.33 against the true classes
Needs:   torch; cpu; about 2 s
Run:     python trap_clamp_labels.py
"""
import json
import sys

import torch
from torch import nn

classes = 3


if __name__ == "__main__":
    torch.manual_seed(0)
    true_class = torch.arange(60) % classes
    inputs = nn.functional.one_hot(true_class, classes).float()
    labels_in_file = true_class + 1  # 1, 2, 3
    labels = labels_in_file.clamp(0, classes - 1)  # BUG: subtract 1 instead
    model = nn.Linear(classes, classes)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(100):
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    accuracy = (model(inputs).argmax(1) == true_class).float().mean().item()
    healthy = accuracy > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2),
                                  "loss": round(loss.item(), 3)}))
    sys.exit(0 if healthy else 1)
