"""G3: the device is called "gpu", which is no name that torch knows.

torch names devices by their kind: "cuda", "mps", "xpu", "cpu".

Symptom: RuntimeError: Expected one of cpu, cuda, ... device type at start of device string: gpu
Needs:   torch; cpu; about 3 s
Run:     python broken_name.py; python fixed.py
"""
import json
import sys

import torch

device = torch.device("gpu")  # BUG: torch calls it "cuda"

if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1).to(device)
    images, targets = torch.randn(64, 2).to(device), torch.ones(64, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for step in range(20):
        loss = torch.nn.functional.mse_loss(model(images), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "first_loss": losses[0],
                                  "last_loss": losses[-1]}))
    sys.exit(0 if healthy else 1)
