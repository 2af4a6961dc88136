"""A3: every parameter is frozen, because no name matches.

If no parameter and no input requires a gradient, autograd records nothing. Here the layer is
called `head`, and the condition asks for `fc`.

Symptom: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
Needs:   torch; cpu; about 2 s
Run:     python broken_all_frozen.py
"""
import json
import sys

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone, self.head = nn.Linear(8, 8), nn.Linear(8, 3)

    def forward(self, x):
        return self.head(torch.relu(self.backbone(x)))


torch.manual_seed(0)
model = Classifier()
for name, parameter in model.named_parameters():
    parameter.requires_grad = "fc" in name  # BUG: True for none of them
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
inputs = torch.randn(64, 8)
labels = inputs[:, :3].argmax(dim=1)


def training_step():
    loss = nn.functional.cross_entropy(model(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    before = model.head.weight.detach().clone()
    losses = [training_step() for _ in range(10)]

    moved = not torch.equal(before, model.head.weight)
    healthy = moved and losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "weights_moved": moved,
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
