"""C1: a resume that restores the weights only goes on as another training run.

The state of a training run is more than its weights: the optimizer's moments and step counts,
the place in the learning rate schedule, the step, the random number generators. What is not
restored starts anew, silently: Adam forgets its averages, and the learning rate is that of step
0 again.

Symptom: last_epoch=10 on a fresh optimizer: KeyError: param 'initial_lr' is not specified
Needs:   torch; cpu; about 2 s
Run:     python trap_last_epoch.py
"""
import json
import sys

import torch

stop_at = 10

if __name__ == "__main__":
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.StepLR(
        optimizer, 10, gamma=0.1, last_epoch=stop_at)  # BUG: without the optimizer's saved state

    rate = optimizer.param_groups[0]["lr"]
    healthy = abs(rate - 0.001) < 1e-9
    print("OBSERVED", json.dumps({"healthy": healthy, "lr": rate, "epoch": scheduler.last_epoch}))
    sys.exit(0 if healthy else 1)
