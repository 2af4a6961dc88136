"""G3: the code takes the GPU if torch sees one, else the CPU.

The device is printed, so that nobody waits a day for a run on the CPU without knowing it.

Symptom: none: the loss falls
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch

if torch.cuda.is_available():
    print("SKIPPED this machine has a GPU that torch sees")
    sys.exit(77)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # FIX: what is there
print("training on", device)

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
