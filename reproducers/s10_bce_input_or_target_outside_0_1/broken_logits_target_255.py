"""S10: BCEWithLogitsLoss accepts a mask of 0 and 255, and the loss falls below 0.

BCEWithLogitsLoss does not check the target. With a target of 255 the best logit is infinite, so the
loss has no lowest value.

Symptom: a negative loss, and every pixel is predicted as foreground
Needs:   torch; cpu; about 2 s
Run:     python broken_logits_target_255.py; python fix_mask.py
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
    target = mask.float()  # BUG: 0 and 255
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
