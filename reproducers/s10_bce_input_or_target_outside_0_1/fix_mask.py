"""S10: a mask that is cut at 127 has the values 0 and 1.

The comparison gives True and False, and float() turns them into 1 and 0. It also works for a mask
whose edges were blurred by resizing.

Symptom: none: a small positive loss
Needs:   torch; cpu; about 2 s
Run:     python broken_target_255.py; python fix_mask.py
"""
import json
import sys

import torch
from torch import nn

steps = 100


if __name__ == "__main__":
    torch.manual_seed(0)
    image = torch.rand(1, 1, 8, 8)
    mask = (image > 0.5).to(torch.uint8) * 255
    target = (mask > 127).float()  # FIX: 0 and 1
    model = nn.Conv2d(1, 1, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.3)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.BCEWithLogitsLoss()(model(image), target)
        loss.backward()
        optimizer.step()

    accuracy = ((model(image) > 0) == (mask > 127)).float().mean().item()
    healthy = 0 < loss.item() < 0.3 and accuracy > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 2),
                                  "accuracy": round(accuracy, 2)}))
    sys.exit(0 if healthy else 1)
