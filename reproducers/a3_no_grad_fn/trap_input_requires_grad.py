"""A3: inputs.requires_grad_(True) silences the error, and nothing is trained.

With it autograd records a graph, but that graph leads to the inputs and to no parameter.

Symptom: nothing is raised, and the weights do not change
Needs:   torch; cpu; about 2 s
Run:     python trap_input_requires_grad.py
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
    parameter.requires_grad = "fc" in name
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
inputs = torch.randn(64, 8)
labels = inputs[:, :3].argmax(dim=1)


def training_step():
    inputs.requires_grad_(True)  # BUG: the graph leads to the inputs alone
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
