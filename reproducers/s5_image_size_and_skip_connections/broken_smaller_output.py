"""S5: without skip connections the model runs, and the output is smaller than the mask.

Pooling rounds down: 26 becomes 13, and 13 becomes 6. On the way up 6 becomes 12 and 24, and
nothing is joined, so the loss is the first line that compares sizes.

Symptom: ValueError: Target size (torch.Size([2, 1, 26, 22])) must be the same as input size
(torch.Size([2, 1, 24, 20]))
Needs:   torch; cpu; about 3 s
Run:     python broken_smaller_output.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn
from torch.nn import functional as F

height, width = 26, 22
steps = 10


class UNet(nn.Module):
    """Two poolings on the way down, nothing to join on the way up."""

    def __init__(self):
        super().__init__()
        self.top, self.middle = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1)
        self.bottom = nn.Conv2d(4, 4, 3, padding=1)
        self.join, self.head = nn.Conv2d(4, 4, 3, padding=1), nn.Conv2d(4, 1, 1)

    def forward(self, x):
        top = F.relu(self.top(x))
        middle = F.relu(self.middle(F.max_pool2d(top, 2)))
        bottom = F.relu(self.bottom(F.max_pool2d(middle, 2)))
        up = F.interpolate(bottom, scale_factor=2)
        up = F.relu(self.join(up))
        return self.head(F.interpolate(up, scale_factor=2))


if __name__ == "__main__":
    torch.manual_seed(0)
    images = torch.rand(2, 1, height, width)
    masks = (images > 0.5).float()
    model = UNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    losses = []
    for _ in range(steps):
        logits = model(images)  # BUG: 26 x 22 with two poolings
        loss = F.binary_cross_entropy_with_logits(logits, masks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    same_size = logits.shape == masks.shape
    healthy = len(losses) == steps and losses[-1] < losses[0] - 0.02 and same_size
    print("OBSERVED", json.dumps({"healthy": healthy, "output": list(logits.shape[-2:]),
                                  "first_and_last_loss": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
