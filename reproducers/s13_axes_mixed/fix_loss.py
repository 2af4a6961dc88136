"""S13: transpose() brings the classes of a tagger to axis 1 for the loss.

Each tag is compared with the five numbers of its token.

Symptom: none: the loss is near 0, and the accuracy is 1.0
Needs:   torch; cpu; about 3 s
Run:     python fix_loss.py
"""
import json
import sys

import torch
from torch import nn
from torch.nn.functional import cross_entropy

torch.set_num_threads(1)

if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(20, 16), nn.Linear(16, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(300):
        words = torch.randint(20, (32, 12))
        tags = words % 5  # the tag follows from the word
        optimizer.zero_grad()
        logits = model(words)
        loss = cross_entropy(logits.transpose(1, 2), tags)  # FIX: moves the axes
        loss.backward()
        optimizer.step()

    words = torch.randint(20, (100, 12))
    accuracy = (model(words).argmax(2) == words % 5).float().mean().item()
    healthy = accuracy > 0.8
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2),
                                  "loss": round(loss.item(), 2)}))
    sys.exit(0 if healthy else 1)
