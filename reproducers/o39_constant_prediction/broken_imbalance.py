"""O39: with 4 % of one class, the model almost always predicts the other one.

The classes overlap, so for nearly every input the frequent class is the likelier one. The loss
counts each sample once, and asks for no more than that. The accuracy is 0.95.

Symptom: accuracy 0.95, but only 8 % of the rare class are found
Needs:   torch; cpu; about 3 s
Run:     python broken_imbalance.py; python fix_class_weights.py
"""
import json
import sys

import torch
from torch.nn.functional import cross_entropy

torch.set_num_threads(1)

if __name__ == "__main__":
    torch.manual_seed(0)
    labels = (torch.rand(2000) < 0.04).long()
    inputs = torch.randn(2000, 4) + 1.5 * labels[:, None] * torch.tensor([1.0, 0, 0, 0])
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for step in range(300):
        optimizer.zero_grad()
        cross_entropy(model(inputs), labels).backward()  # BUG: every sample counts the same
        optimizer.step()

    found = model(inputs).argmax(1)
    accuracy = (found == labels).float().mean().item()
    recall = [(found[labels == c] == c).float().mean().item() for c in (0, 1)]
    healthy = min(recall) > 0.6
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2),
                                  "recall_by_class": [round(value, 2) for value in recall]}))
    sys.exit(0 if healthy else 1)
