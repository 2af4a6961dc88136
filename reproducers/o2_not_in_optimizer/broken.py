"""O2: a layer that was replaced after the optimizer was built never learns.

An optimizer keeps the tensors that it was given and never looks at the model again. A layer that
is put in later, or was never listed, gets gradients but no step. The rest of the model trains, so
the loss still falls; nothing is raised and nothing is logged.

Symptom: the loss falls from 1.69 to 1.53, but the new head stays exactly as it was initialised
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone, self.fc = nn.Linear(16, 16), nn.Linear(16, 10)

    def forward(self, x):
        return self.fc(torch.relu(self.backbone(x)))


num_classes = 5
torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.fc = nn.Linear(model.fc.in_features, num_classes)  # BUG: the optimizer holds the old one

if __name__ == "__main__":
    inputs, labels = torch.randn(64, 16), torch.randint(num_classes, (64,))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    losses = []
    for _ in range(50):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
        losses.append(round(loss.item(), 2))

    after = model.state_dict()
    moved = [name for name in before if not torch.equal(before[name], after[name])]
    healthy = moved == list(before)
    print("OBSERVED", json.dumps({"healthy": healthy, "moved": moved,
                                  "not_moved": sorted(set(before) - set(moved)),
                                  "loss_first_and_last": [losses[0], losses[-1]]}))
    sys.exit(0 if healthy else 1)
