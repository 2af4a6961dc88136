"""O32: GradScaler skips the first updates, and the scheduler steps anyway.

GradScaler starts with a scale of 65536. Gradients that overflow make it skip the update and halve
the scale. The order of the calls is right, but optimizer.step() has not run yet.

Symptom: the same warning; the first three values of the warm-up are lost
Needs:   torch; cpu; about 3 s
Run:     python broken_skipped_step.py
"""
import json
import sys

import torch
try:
    from torch.amp import GradScaler
except ImportError:
    print("SKIPPED a GradScaler for the CPU needs torch 2.3")
    sys.exit(77)

wanted = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
model = torch.nn.Linear(1, 1, bias=False)
loader = [torch.full((1, 1), 4.0)] * 9  # the gradient is 4; 4 * 65536 is too large for float16


def train(model, optimizer, scheduler, scaler):
    """The learning rate of each update, measured by how far the weight moved."""
    rates = []
    for batch in loader:
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = model(batch).sum()
        scaler.scale(loss).backward()
        start = model.weight.item()
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()  # BUG: also after an update that the scaler has skipped
        rates.append(round((start - model.weight.item()) / 4, 4))
    return [rate for rate in rates if rate], rates.count(0)


if __name__ == "__main__":
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: step + 1)
    rates, skipped = train(model, optimizer, scheduler, GradScaler("cpu"))

    healthy = rates == wanted and skipped == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_update": rates, "skipped": skipped}))
    sys.exit(0 if healthy else 1)
