"""S11: images without a channel dimension are compared with all predicted images.

The model returns (B, 1, H, W), the targets are (B, H, W). Aligned from the right, the batch of the
targets meets the channels of the prediction, and the difference has shape (B, B, H, W).

Symptom: perfect predictions have a loss above 0
Needs:   torch; cpu; about 2 s
Run:     python broken_images.py
"""
import json
import sys

import torch

torch.manual_seed(0)
depth = torch.rand(4, 8, 8)
prediction = depth.unsqueeze(1)  # a perfect one, with a channel: (4, 1, 8, 8)


def loss_of(prediction, depth):
    losses = torch.nn.functional.l1_loss(prediction, depth, reduction="none")  # BUG: (4, 4, 8, 8)
    return {"values": losses.numel(), "loss": round(losses.mean().item(), 2)}


if __name__ == "__main__":
    result = loss_of(prediction, depth)

    healthy = result["values"] == depth.numel() and result["loss"] == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "values_compared": result["values"],
                                  "pixels": depth.numel(), "loss_of_perfect": result["loss"]}))
    sys.exit(0 if healthy else 1)
