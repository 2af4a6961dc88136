"""O1: the loss does not fall. First make the model learn one small batch by heart.

A model that cannot bring the loss of 16 fixed samples near zero has a fault in the loop, the loss
or the model; more data and more epochs will not mend it. The check says nothing about labels,
preprocessing or evaluation: any pairing of inputs and labels can be learned by heart.

Symptom: seven programs, six of them faulty; four measurements on one batch tell them apart
Needs:   torch; cpu; about 4 s
Run:     python fix_split_causes.py
"""
import json
import math
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # for tensors as small as these
torch.manual_seed(0)
inputs, labels = torch.randn(16, 8), torch.arange(16) % 3
cross_entropy = nn.functional.cross_entropy


def overfit(lr=0.1, gain=1.0, step=True, softmax=False, sign=1.0, frozen=False):
    """60 steps on one batch; the arguments build the faults in."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3))
    optimizer = torch.optim.SGD([model[2].bias] if frozen else model.parameters(), lr, momentum=0.9)
    before = [p.detach().clone() for p in model.parameters()]
    losses = []
    for _ in range(60):
        logits = model(inputs * gain)
        loss = sign * cross_entropy(logits.softmax(1) if softmax else logits, labels)
        optimizer.zero_grad()
        loss.backward()
        if step:
            optimizer.step()
        losses.append(loss.item())
    return {"first": losses[0], "last": losses[-1], "logits": logits.detach(),
            "moved": [not torch.equal(p, b) for p, b in zip(model.parameters(), before)]}


def cause(run):
    """FIX: four measurements, in this order; the first that fails names the place to look."""
    first, last, logits = run["first"], run["last"], run["logits"]
    if not math.isfinite(last) or last > first + 1 or last < -1:
        return "learning rate or sign"
    if not any(run["moved"]):
        return "no step"
    if (logits - logits.mean(0)).abs().max() < 1e-3:
        return "inputs do not arrive"
    if not all(run["moved"]):
        return "part has no step"
    if last < 0.05 * first:
        return "learns"
    right = (logits.argmax(1) == labels).float().mean()
    return "loss has a floor" if right == 1 else "too slow"


if __name__ == "__main__":
    programs = {"none": {}, "no step()": {"step": False},
                "optimizer lacks layers": {"frozen": True}, "inputs are zero": {"gain": 0.0},
                "softmax before the loss": {"softmax": True}, "lr 1e-5": {"lr": 1e-5},
                "wrong sign": {"sign": -1.0}}
    found = {fault: cause(overfit(**arguments)) for fault, arguments in programs.items()}  # FIX
    healthy = list(found.values()) == ["learns", "no step", "part has no step",
                                       "inputs do not arrive", "loss has a floor", "too slow",
                                       "learning rate or sign"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found_by_fault": found}))
    sys.exit(0 if healthy else 1)
