"""S13: the logits of a tagger are viewed as (batch, classes, tokens) for the loss.

cross_entropy wants the classes on axis 1. view() gives that shape, and compares each tag with
numbers of several tokens and classes.

Symptom: no error: the loss stays at ln(5) = 1.61, and the accuracy at that of guessing
Needs:   torch; cpu; about 3 s
Run:     python broken_loss.py; python fix_loss.py
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
        batch, tokens, classes = logits.shape
        loss = cross_entropy(logits.view(batch, classes, tokens), tags)  # BUG: mixes the tokens
        loss.backward()
        optimizer.step()

    words = torch.randint(20, (100, 12))
    accuracy = (model(words).argmax(2) == words % 5).float().mean().item()
    healthy = accuracy > 0.8
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2),
                                  "loss": round(loss.item(), 2)}))
    sys.exit(0 if healthy else 1)
