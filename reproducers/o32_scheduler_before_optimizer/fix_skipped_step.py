"""O32: the scheduler steps only if GradScaler has made the update.

A scale that is smaller after update() than before means that the update was skipped.

Symptom: none: the rates are those of the schedule
Needs:   torch; cpu; about 3 s
Run:     python fix_skipped_step.py
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
        scale = scaler.get_scale()
        scaler.step(optimizer)
        scaler.update()
        if scaler.get_scale() >= scale:  # FIX: the scale falls when the update was skipped
            scheduler.step()
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
