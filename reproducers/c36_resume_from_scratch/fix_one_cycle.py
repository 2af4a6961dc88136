"""C36: a new OneCycleLR for the whole length continues at the step that is done.

The loaded optimizer has the bounds of the rate in its groups, which last_epoch needs. The state of
the old scheduler is not loaded; only its position is used.

Symptom: none: the rate continues at 0.08 and falls to 0
Needs:   torch; cpu; about 2 s
Run:     python fix_one_cycle.py
"""
import json
import sys

import torch

done, total = 9, 20


def build(total_steps):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=total_steps)
    return optimizer, scheduler


if __name__ == "__main__":
    optimizer, scheduler = build(total_steps=10)
    for step in range(done):
        optimizer.step()
        scheduler.step()
    saved = {"optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}

    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
    optimizer.load_state_dict(saved["optimizer"])
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=0.1, total_steps=total,
        last_epoch=saved["scheduler"]["last_epoch"] - 1)  # FIX: a new cycle, at this position

    rates = []
    for step in range(done, total):
        rates.append(round(optimizer.param_groups[0]["lr"], 4))
        optimizer.step()
        if step + 1 < total:
            scheduler.step()

    falls = all(later <= rate for rate, later in zip(rates, rates[1:]))
    healthy = falls and len(rates) == total - done and rates[0] > 0.05
    print("OBSERVED", json.dumps({"healthy": healthy, "first_rate": rates[0],
                                  "highest_rate": max(rates), "last_rate": rates[-1]}))
    sys.exit(0 if healthy else 1)
