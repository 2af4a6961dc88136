"""C1: loading the states brings back the old learning rate and the old length of the schedule.

optimizer.load_state_dict() replaces the settings of the parameter groups, and the scheduler's state
contains T_max. Values that you passed to the new objects are lost.

Symptom: built with lr=0.002 and T_max=200, after loading they are 0.01 and 100 again
Needs:   torch; cpu; about 2 s
Run:     python trap_new_settings.py
"""
import json
import sys

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR

old_lr, old_length = 0.01, 100
new_lr, new_length = 0.002, 200


def make(lr, length):
    optimizer = torch.optim.AdamW(torch.nn.Linear(4, 1).parameters(), lr=lr)
    return optimizer, CosineAnnealingLR(optimizer, T_max=length)


if __name__ == "__main__":
    saved_optimizer, saved_scheduler = [thing.state_dict() for thing in make(old_lr, old_length)]

    optimizer, scheduler = make(new_lr, new_length)
    optimizer.load_state_dict(saved_optimizer)  # BUG: the saved lr replaces the new one
    scheduler.load_state_dict(saved_scheduler)  # BUG: so does the saved T_max

    lr, length = optimizer.param_groups[0]["lr"], scheduler.T_max
    healthy = lr == new_lr and length == new_length
    print("OBSERVED", json.dumps({"healthy": healthy, "lr": lr, "wanted_lr": new_lr,
                                  "T_max": length, "wanted_T_max": new_length}))
    sys.exit(0 if healthy else 1)
