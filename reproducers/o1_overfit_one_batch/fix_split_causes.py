"""O1: four measurements on one batch say which kind of fault keeps the loss up.

The check runs the body of a training loop 100 times on one batch. It looks at the loss, at which
parameters moved, at whether the outputs depend on the inputs, and at the predictions.

Symptom: none: nine programs, eight of them faulty; the check names the fault of each
Needs:   torch; cpu; about 4 s
Run:     python fix_split_causes.py
"""
import json
import math
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help


def what_fails(model, train_step, inputs, labels, steps=100):  # FIX: measure, do not guess
    """train_step(inputs, labels) is the body of your loop; it returns the logits and the loss."""
    trained = [p for p in model.parameters() if p.requires_grad]
    before = [p.detach().clone() for p in trained]
    losses = []
    for _ in range(steps):
        logits, loss = train_step(inputs, labels)
        losses.append(loss.item())
    moved = [not torch.equal(p, old) for p, old in zip(trained, before)]
    first, last = losses[0], losses[-1]
    if not math.isfinite(last) or last > first + 1 or last < -1:
        return "learning rate or sign"
    if not any(moved):
        return "no step"
    if (logits - logits.mean(0)).abs().max() < 1e-3:
        return "outputs do not depend on inputs"
    if not all(moved):
        return "some parameters have no step"
    if last < 0.05 * first:
        return "learns"
    return "loss has a floor" if (logits.argmax(1) == labels).all() else "too slow"


def run(lr=0.1, gain=1.0, step=True, softmax=False, sign=1.0, frozen=False, cut=False, dead=False):
    """The check on one program; the arguments build the faults in."""
    torch.manual_seed(0)
    inputs, labels = gain * torch.randn(16, 8), torch.arange(16) % 3
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3))
    if dead:
        nn.init.constant_(model[0].bias, -100.0)
    optimizer = torch.optim.SGD([model[2].bias] if frozen else model.parameters(), lr, momentum=0.9)

    def train_step(inputs, labels):
        logits = model(inputs)
        scores = logits.softmax(1) if softmax else logits
        loss = sign * nn.functional.cross_entropy(scores, labels)
        if cut:
            loss = torch.tensor(loss.item(), requires_grad=True)
        optimizer.zero_grad()
        loss.backward()  # dpkb: ignore[O1, O30]
        if step:
            optimizer.step()
        return logits, loss

    return what_fails(model, train_step, inputs, labels)


if __name__ == "__main__":
    found = {"none": run(), "no step()": run(step=False), "loss rebuilt from item()": run(cut=True),
             "optimizer lacks layers": run(frozen=True), "inputs are zero": run(gain=0.0),
             "dead ReLU": run(dead=True), "softmax before the loss": run(softmax=True),
             "lr 1e-5": run(lr=1e-5), "wrong sign": run(sign=-1.0)}
    healthy = list(found.values()) == ["learns", "no step", "no step",
                                       "some parameters have no step",
                                       "outputs do not depend on inputs",
                                       "outputs do not depend on inputs", "loss has a floor",
                                       "too slow", "learning rate or sign"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found_by_fault": found}))
    sys.exit(0 if healthy else 1)
