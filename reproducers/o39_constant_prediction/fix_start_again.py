"""O39: new weights and a lower learning rate from the first step: the outputs follow the inputs.

The model has not been trained with the high rate. The number of steps is the same.

Symptom: none: the outputs differ and are near the targets
Needs:   torch; cpu; about 5 s
Run:     python fix_start_again.py
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
    train(model, torch.optim.Adam(model.parameters(), lr=0.001), 450)  # FIX: from the start

    with torch.no_grad():
        outputs = model(inputs)
    error = nn.functional.mse_loss(outputs, targets) / targets.var()
    spread = outputs.std().item()
    healthy = spread > 0.5 and error.item() < 0.5
    print("OBSERVED", json.dumps({"healthy": healthy, "spread_of_outputs": round(spread, 3),
                                  "output": round(outputs[0].item(), 1),
                                  "mean_target": round(targets.mean().item(), 1)}))
    sys.exit(0 if healthy else 1)
