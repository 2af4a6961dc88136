"""O31: a linear schedule of transformers gets the number of steps: epochs times batches.

The loop calls scheduler.step() after each batch, so its unit is the batch.

Symptom: none: the rate falls over 30 steps
Needs:   torch, transformers; cpu; about 8 s
Run:     python fix_epochs_as_steps.py; python broken_epochs_as_steps.py
"""
import json
import sys

import torch

try:
    from transformers import get_linear_schedule_with_warmup
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

epochs, batches = 3, 10

if __name__ == "__main__":
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.AdamW([weight], lr=0.1)
    steps = epochs * batches  # FIX: in a training, epochs * len(loader)
    scheduler = get_linear_schedule_with_warmup(optimizer, 0, steps)  # FIX
    rates = []
    for _ in range(epochs * batches):
        rates.append(optimizer.param_groups[0]["lr"])
        weight.sum().backward()
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()

    trained_steps = sum(rate > 0 for rate in rates)
    healthy = trained_steps == epochs * batches
    print("OBSERVED", json.dumps({"healthy": healthy, "trained_steps": trained_steps,
                                  "rate_after_5_steps": round(rates[5], 3)}))
    sys.exit(0 if healthy else 1)
