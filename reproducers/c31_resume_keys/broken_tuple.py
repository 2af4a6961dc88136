"""C31: the file is a tuple of three, and the code unpacks two.

A resume reads from the file by name. A file that holds only weights, or was saved by other code,
lacks some of the names, or has them in a different layout. torch.load() itself succeeds.

Symptom: ValueError: too many values to unpack (expected 2)
Needs:   torch; cpu; about 2 s
Run:     python broken_tuple.py
"""
import json
import os
import sys
import tempfile

import torch


def build():
    model = torch.nn.Linear(4, 1)
    return model, torch.optim.Adam(model.parameters())


def train(model, optimizer, steps):
    for step in range(steps):
        optimizer.zero_grad()
        model(torch.ones(8, 4)).pow(2).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        last = os.path.join(folder, "last.pt")
        model, optimizer = build()
        train(model, optimizer, 5)
        torch.save((model.state_dict(), optimizer.state_dict(), 5), last)
        weights, step = torch.load(last, map_location="cpu")  # BUG: a different layout
        model.load_state_dict(weights)

    healthy = step == 5
    print("OBSERVED", json.dumps({"healthy": healthy, "step": step}))
    sys.exit(0 if healthy else 1)
