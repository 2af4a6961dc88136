"""C31: except KeyError turns the resume into a fresh optimizer, silently.

A resume reads from the file by name. A file that holds only weights, or was saved by other code,
lacks some of the names, or has them in a different layout. torch.load() itself succeeds.

Symptom: the run goes on from step 0 with an empty optimizer
Needs:   torch; cpu; about 2 s
Run:     python trap_try_except.py
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
    try:
        optimizer.load_state_dict(state["optimizer"])
    except KeyError:  # BUG: hides that this is no resume
        pass
    return state.get("step", 0)


if __name__ == "__main__":
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        best, last = os.path.join(folder, "best.pt"), os.path.join(folder, "last.pt")
        model, optimizer = build()
        train(model, optimizer, 5)
        torch.save({"model": model.state_dict()}, best)  # for inference: weights only
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 5}
        torch.save(state, last)
        model, optimizer = build()
        step = resume(best, model, optimizer)  # weights only

    healthy = step == 5 and len(optimizer.state) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "step": step,
                                  "parameters_with_state": len(optimizer.state)}))
    sys.exit(0 if healthy else 1)
