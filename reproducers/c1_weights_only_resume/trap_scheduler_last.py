"""C1: a scheduler that is created after the optimizer was loaded overwrites the learning rate.

The constructor of a scheduler sets the rate of its first step in the optimizer. Loading the
scheduler's state afterwards does not write the saved rate back into the optimizer.

Symptom: the first resumed step uses the initial learning rate, 0.1 instead of 0.0349
Needs:   torch; cpu; about 2 s
Run:     python trap_scheduler_last.py
"""
import json
import sys
import warnings

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR

warnings.filterwarnings("ignore", message="Detected call of `lr_scheduler.step")  # not trained here
stop_at, num_steps = 10, 20
schedules = {"LambdaLR": lambda optimizer: LambdaLR(optimizer, lambda step: 0.9 ** step),
             "CosineAnnealingLR": lambda optimizer: CosineAnnealingLR(optimizer, T_max=num_steps)}


def make_optimizer():
    return torch.optim.SGD(torch.nn.Linear(4, 1).parameters(), lr=0.1)


def run(optimizer, scheduler, steps):
    rates = []
    for _ in range(steps):
        rates.append(round(optimizer.param_groups[0]["lr"], 4))
        optimizer.step()
        scheduler.step()
    return rates


if __name__ == "__main__":
    uninterrupted, resumed = [], []
    for make_scheduler in schedules.values():
        optimizer = make_optimizer()
        scheduler = make_scheduler(optimizer)
        run(optimizer, scheduler, stop_at)
        saved_optimizer, saved_scheduler = optimizer.state_dict(), scheduler.state_dict()

        new_optimizer = make_optimizer()
        new_optimizer.load_state_dict(saved_optimizer)
        new_scheduler = make_scheduler(new_optimizer)  # BUG: sets the rate of its first step
        new_scheduler.load_state_dict(saved_scheduler)

        uninterrupted.append(run(optimizer, scheduler, num_steps - stop_at)[:3])
        resumed.append(run(new_optimizer, new_scheduler, num_steps - stop_at)[:3])

    healthy = resumed == uninterrupted
    print("OBSERVED", json.dumps({"healthy": healthy, "schedules": list(schedules),
                                  "uninterrupted_lr_by_schedule_and_step": uninterrupted,
                                  "resumed_lr_by_schedule_and_step": resumed}))
    sys.exit(0 if healthy else 1)
