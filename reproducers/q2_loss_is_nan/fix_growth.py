"""Q2: three numbers per step tell why a loss that is still finite explodes.

The loss, the learning rate and the largest input are logged in every step. At the first step whose
loss is far above the first loss, the other two say whether the batch, a jump of the learning rate
or the learning rate itself is the reason.

Symptom: none: five programs, three of them explode, and each reason is found
Needs:   torch; cpu; about 3 s
Run:     python fix_growth.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help


def why_it_grew(history):  # FIX: log three numbers per step, and look at the step where it began
    """history holds (loss, learning rate, largest absolute input) for each step."""
    losses, rates, largest = zip(*history)
    for step in range(1, len(history)):
        if not losses[step] < 3 * losses[0]:  # also true for nan
            if largest[step] > 10 * max(largest[:step]):
                return "step {}: the batch".format(step)
            recent = rates[max(0, step - 5):step]
            if max(recent) > 3 * recent[0]:
                return "step {}: a jump of the learning rate".format(step)
            return "step {}: the learning rate".format(step)
    return "no growth in {} steps".format(len(history))


def train(lr=0.1, lr_after_resume=None, outlier=1.0):
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    batches = torch.rand(40, 16, 4)
    labels = batches.mean(2, keepdim=True) * 3
    batches[20] *= outlier
    history = []
    for step, inputs in enumerate(batches):
        if step == 20:
            optimizer = torch.optim.SGD(model.parameters(), lr=lr_after_resume or lr)
        loss = nn.functional.mse_loss(model(inputs), labels[step])
        optimizer.zero_grad()
        loss.backward()  # dpkb: ignore[Q2, O30]
        optimizer.step()
        history.append((loss.item(), optimizer.param_groups[0]["lr"], inputs.abs().max().item()))
    return why_it_grew(history)


if __name__ == "__main__":
    found = {"no fault": train(), "lr 2.0": train(lr=2.0), "lr 0.2": train(lr=0.2),
             "lr 2.0 after a resume": train(lr_after_resume=2.0),
             "one batch in other units": train(outlier=1000.0)}
    healthy = list(found.values()) == [
        "no growth in 40 steps", "step 1: the learning rate", "no growth in 40 steps",
        "step 22: a jump of the learning rate", "step 20: the batch"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found_by_fault": found}))
    sys.exit(0 if healthy else 1)
