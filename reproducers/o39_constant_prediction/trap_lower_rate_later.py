"""O39: after ReLUs have died, a lower learning rate does not bring the model back.

The first 150 steps with a rate of 0.1 kill all units of a layer, so every output is the mean. No
gradient passes a dead layer, so 300 steps with 0.001 only move the last bias.

Symptom: nearly the same number, the mean of the targets, for every input
Needs:   torch; cpu; about 5 s
Run:     python trap_lower_rate_later.py; python fix_start_again.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)


def train(model, optimizer, steps):
    for step in range(steps):
        batch = torch.randint(256, (32,))
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs[batch]), targets[batch]).backward()
        optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs = torch.randn(256, 20)
    targets = inputs[:, :2].sum(1, keepdim=True) + 3
    layers = [nn.Linear(20, 64), nn.ReLU()]
    for _ in range(6):
        layers += [nn.Linear(64, 64), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(64, 1))
    train(model, torch.optim.Adam(model.parameters(), lr=0.1), 150)
    train(model, torch.optim.Adam(model.parameters(), lr=0.001), 300)  # BUG: nothing is alive

    with torch.no_grad():
        outputs = model(inputs)
    error = nn.functional.mse_loss(outputs, targets) / targets.var()
    spread = outputs.std().item()
    healthy = spread > 0.5 and error.item() < 0.5
    print("OBSERVED", json.dumps({"healthy": healthy, "spread_of_outputs": round(spread, 3),
                                  "output": round(outputs[0].item(), 1),
                                  "mean_target": round(targets.mean().item(), 1)}))
    sys.exit(0 if healthy else 1)
