"""O37: the losses of the dict are added.

Detection models return one loss for each of their tasks. Their sum is a tensor, and its gradient
reaches all parts.

Symptom: none: both losses fall
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn


class Detector(nn.Module):
    """As in torchvision: in training mode it returns a dict of losses."""

    def __init__(self):
        super().__init__()
        self.classes = nn.Linear(8, 3)
        self.boxes = nn.Linear(8, 4)

    def forward(self, x, labels, boxes):
        return {"loss_classifier": nn.functional.cross_entropy(self.classes(x), labels),
                "loss_box_reg": nn.functional.smooth_l1_loss(self.boxes(x), boxes)}


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Detector()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    x, labels, boxes = torch.randn(32, 8), torch.randint(3, (32,)), torch.randn(32, 4)
    first = {name: value.item() for name, value in model(x, labels, boxes).items()}
    for _ in range(20):
        optimizer.zero_grad()
        losses = model(x, labels, boxes)  # FIX: a dict of losses
        loss = sum(losses.values())
        loss.backward()
        optimizer.step()

    last = {name: value.item() for name, value in model(x, labels, boxes).items()}
    fell = [name for name in first if last[name] < 0.95 * first[name]]
    healthy = len(fell) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "losses_that_fell": len(fell),
                                  "of": len(first),
                                  "box_loss_first": round(first["loss_box_reg"], 3),
                                  "box_loss_last": round(last["loss_box_reg"], 3)}))
    sys.exit(0 if healthy else 1)
