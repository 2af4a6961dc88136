"""S11: BCELoss refuses shapes that differ, in other words than BCEWithLogitsLoss.

BCELoss takes probabilities instead of logits. It does not broadcast either: it raises, where
mse_loss only warns.

Symptom: ValueError: Using a target size (torch.Size([32])) that is different to the input [...]
Needs:   torch; cpu; about 2 s
Run:     python broken_bce_probabilities.py
"""
import json
import sys

import torch

inputs = torch.linspace(-1, 1, 32).reshape(-1, 1)
targets = (inputs[:, 0] > 0).float()


if __name__ == "__main__":
    model = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Sigmoid())
    criterion = torch.nn.BCELoss()
    loss = criterion(model(inputs), targets)  # BUG: (32, 1) and (32,)

    healthy = loss.dim() == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 2)}))
    sys.exit(0 if healthy else 1)
