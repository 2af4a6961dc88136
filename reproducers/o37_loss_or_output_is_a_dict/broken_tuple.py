"""O37: the model returns two outputs in training mode, and the loss gets both.

Inception, distilled and segmentation models return extra outputs, often in training mode only.

Symptom: TypeError: cross_entropy_loss(): argument 'input' (position 1) must be Tensor, not tuple
Needs:   torch; cpu; about 2 s
Run:     python broken_tuple.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    """As Inception: in training mode it returns two outputs, in evaluation mode one."""

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.head = nn.Linear(8, 3)
        self.aux = nn.Linear(8, 3)

    def forward(self, x):
        x = torch.relu(self.body(x))
        return (self.head(x), self.aux(x)) if self.training else self.head(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    x, labels = torch.randn(32, 8), torch.randint(3, (32,))
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), labels)  # BUG: a tuple
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < 0.8 * losses[0] and len(losses) == 20
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 2),
                                  "loss_last": round(losses[-1], 2)}))
    sys.exit(0 if healthy else 1)
