"""C31: the file was stripped after training, and its optimizer is None.

A resume reads from the file by name. A file that holds only weights, or was saved by other code,
lacks some of the names, or has them in a different layout. torch.load() itself succeeds.

Symptom: TypeError: 'NoneType' object is not subscriptable
Needs:   torch; cpu; about 2 s
Run:     python broken_stripped.py
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


def resume(path, model, optimizer):
    state = torch.load(path, map_location="cpu")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["step"]


if __name__ == "__main__":
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        last = os.path.join(folder, "last.pt")
        model, optimizer = build()
        train(model, optimizer, 5)
        state = {"model": model.state_dict(), "optimizer": None, "step": -1}  # BUG: made smaller
        torch.save(state, last)
        model, optimizer = build()
        step = resume(last, model, optimizer)

    healthy = step == 5 and len(optimizer.state) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "step": step}))
    sys.exit(0 if healthy else 1)
