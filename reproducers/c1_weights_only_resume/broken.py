"""C1: a resume that restores only the weights continues as a different training run.

The state of a run is more than its weights: the optimizer's moments and step counts, the position
in the learning rate schedule, the step, the random number generators. Anything that is not restored
starts again at step 0, silently.

Symptom: 10 + 10 steps end at other weights than 20; the learning rate is 0.001 instead of 0.0001
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import io
import json
import sys

import torch
from torch import nn

stop_at, steps = 10, 20


def make(seed):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    return model, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 8, gamma=0.1)


def train(model, optimizer, scheduler, first, last):
    for step in range(first, last):
        data = torch.Generator().manual_seed(step)  # the same data in the same step
        x = torch.randn(16, 4, generator=data)
        optimizer.zero_grad()
        (model(x).squeeze(1) - x.sum(dim=1)).pow(2).mean().backward()
        optimizer.step()
        scheduler.step()


def save(file, model, optimizer, scheduler):
    torch.save({
        "model": model.state_dict(),  # BUG: and nothing else
    }, file)


def restore(file, model, optimizer, scheduler):
    state = torch.load(file, map_location="cpu")
    model.load_state_dict(state["model"])
    print(optimizer.param_groups[0]["lr"], len(optimizer.state), scheduler.last_epoch)


if __name__ == "__main__":
    whole = make(seed=0)
    train(*whole, 0, steps)

    file, first_half = io.BytesIO(), make(seed=0)
    train(*first_half, 0, stop_at)
    save(file, *first_half)
    file.seek(0)
    second_half = make(seed=1)  # in the next process
    restore(file, *second_half)
    train(*second_half, stop_at, steps)

    pairs = zip(whole[0].parameters(), second_half[0].parameters())
    difference = max((a - b).abs().max().item() for a, b in pairs)
    rates = [run[1].param_groups[0]["lr"] for run in (whole, second_half)]
    healthy = difference == 0.0
    print("OBSERVED", json.dumps({
        "healthy": healthy, "largest_difference": round(difference, 4),
        "lr_at_the_end_whole_and_resumed": [round(rate, 6) for rate in rates]}))
    sys.exit(0 if healthy else 1)
