"""G3: the code asks for a GPU, and this torch sees none.

The build has no CUDA, the driver is missing, or the GPUs are hidden: the first call that needs the
GPU raises.

Symptom: RuntimeError: Found no NVIDIA driver on your system
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch

if torch.cuda.is_available():
    print("SKIPPED this machine has a GPU that torch sees")
    sys.exit(77)

device = torch.device("cuda")  # BUG: there is no other choice

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
