"""C31: strict=False hides that the file has a different layout: no weight is loaded.

A resume reads from the file by name. A file that holds only weights, or was saved by other code,
lacks some of the names, or has them in a different layout. torch.load() itself succeeds.

Symptom: the model keeps its initial weights, and nothing is raised
Needs:   torch; cpu; about 2 s
Run:     python trap_strict_false.py
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
        saved = model.weight.detach().clone()
        torch.save({"model": model.state_dict(), "step": 5}, last)
        model, optimizer = build()
        state = torch.load(last, map_location="cpu")
        model.load_state_dict(state, strict=False)  # BUG: state["model"] is meant
        same = torch.equal(model.weight, saved)

    healthy = same
    print("OBSERVED", json.dumps({"healthy": healthy, "same_weights": same}))
    sys.exit(0 if healthy else 1)
