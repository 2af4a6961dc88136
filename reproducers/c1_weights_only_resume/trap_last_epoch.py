"""C1: last_epoch does not replace the optimizer's saved state.

A scheduler with last_epoch expects the initial_lr that the optimizer's saved state contains. A
fresh optimizer does not have it.

Symptom: KeyError: param 'initial_lr' is not specified in param_groups[0]
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
        optimizer, 10, gamma=0.1, last_epoch=stop_at)  # BUG: the optimizer is new

    rate = optimizer.param_groups[0]["lr"]
    healthy = abs(rate - 0.001) < 1e-9
    print("OBSERVED", json.dumps({"healthy": healthy, "lr": rate, "epoch": scheduler.last_epoch}))
    sys.exit(0 if healthy else 1)
