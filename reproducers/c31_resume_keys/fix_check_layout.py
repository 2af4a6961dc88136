"""C31: a file that cannot be resumed from is refused with a message that says why.

A resume reads from the file by name. A file that holds only weights, or was saved by other code,
lacks some of the names, or has them in a different layout. torch.load() itself succeeds.

Symptom: none: two files are refused, one is accepted
Needs:   torch; cpu; about 2 s
Run:     python fix_check_layout.py
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


def missing_parts(state):
    """What a checkpoint lacks for a resume; empty if it can be resumed from."""
    if not isinstance(state, dict):
        return [f"a dict (it is a {type(state).__name__})"]
    return [name for name in ("model", "optimizer", "step") if state.get(name) is None]


if __name__ == "__main__":
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        model, optimizer = build()
        train(model, optimizer, 5)
        whole = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 5}
        missing = []
        for state in (whole, dict(whole, optimizer=None), (model.state_dict(), 5)):
            torch.save(state, path)
            missing.append(missing_parts(torch.load(path, map_location="cpu")))  # FIX: ask first

    healthy = missing == [[], ["optimizer"], ["a dict (it is a tuple)"]]
    print("OBSERVED", json.dumps({"healthy": healthy, "missing": missing}))
    sys.exit(0 if healthy else 1)
