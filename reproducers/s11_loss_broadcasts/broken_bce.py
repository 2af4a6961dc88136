"""S11: the losses for two classes refuse shapes that differ.

binary_cross_entropy_with_logits does not broadcast: it raises, where mse_loss only warns.

Symptom: ValueError: Target size (torch.Size([32])) must be the same as input size
Needs:   torch; cpu; about 2 s
Run:     python broken_bce.py
"""
import json
import sys

import torch

inputs = torch.linspace(-1, 1, 32).reshape(-1, 1)
targets = (inputs[:, 0] > 0).float()


if __name__ == "__main__":
    model = torch.nn.Linear(1, 1)
    criterion = torch.nn.BCEWithLogitsLoss()
    loss = criterion(model(inputs), targets)  # BUG: (32, 1) and (32,)

    healthy = loss.dim() == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 2)}))
    sys.exit(0 if healthy else 1)
