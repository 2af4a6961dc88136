"""C31: a new run starts from the weights of a stripped file, with its own optimizer.

A resume reads from the file by name. A file that holds only weights, or was saved by other code,
lacks some of the names, or has them in a different layout. torch.load() itself succeeds.

Symptom: none: the weights are those of the file, the optimizer starts at step 0
Needs:   torch; cpu; about 2 s
Run:     python fix_weights_only_start.py
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
        best = os.path.join(folder, "best.pt")
        model, optimizer = build()
        train(model, optimizer, 5)
        saved, moments = model.weight.detach().clone(), len(optimizer.state)
        torch.save({"model": model.state_dict()}, best)
        model, optimizer = build()
        state = torch.load(best, map_location="cpu")
        model.load_state_dict(state["model"])  # FIX: the weights only, and the log says so
        same = torch.equal(model.weight, saved)

    healthy = same and moments == 2 and len(optimizer.state) == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "same_weights": same}))
    sys.exit(0 if healthy else 1)
