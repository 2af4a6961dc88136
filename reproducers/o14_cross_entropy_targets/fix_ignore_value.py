"""O14: ignore_index leaves the unlabelled pixels of a mask out of the loss.

The channel axis is removed, and ignore_index=255 leaves the unlabelled border out of the loss.

Symptom: none: masks of shape (N, 1, H, W) with the value 255 give the loss that the formula gives
Needs:   torch; cpu; about 2 s
Run:     python fix_ignore_value.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
logits = torch.randn(2, 3, 4, 4)  # (batch, classes, height, width)
masks = torch.randint(3, (2, 1, 4, 4)).to(torch.uint8)  # with a channel, as an image file gives it
masks[:, :, 0] = 255  # the border that nobody labelled

if __name__ == "__main__":
    labels = masks.squeeze(1).long()
    loss = nn.CrossEntropyLoss(ignore_index=255)(logits, labels)  # FIX: 255 is not a class

    chosen = torch.log_softmax(logits, 1).gather(1, labels.clamp(max=2)[:, None])[:, 0]
    by_hand = -chosen[labels != 255].mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "by_hand": round(by_hand.item(), 4)}))
    sys.exit(0 if healthy else 1)
