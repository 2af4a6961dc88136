"""C36: setting total_steps after the load lets the learning rate rise again.

The message is gone. The phases of the cycle, which are saved as well, still end at step 10, so the
cosine goes on past its end, and back up to the highest rate.

Symptom: none: the learning rate rises from 0 to 0.1 again
Needs:   torch; cpu; about 2 s
Run:     python trap_total_steps.py; python fix_one_cycle.py
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

    optimizer, scheduler = build(total_steps=total)
    optimizer.load_state_dict(saved["optimizer"])
    scheduler.load_state_dict(saved["scheduler"])
    scheduler.total_steps = total  # BUG: the phases still end at step 10

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
