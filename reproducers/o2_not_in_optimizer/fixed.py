"""O2: an optimizer that is built from the final model moves every parameter.

The head is replaced first, and the optimizer is built from the final model. It holds every
parameter.

Symptom: none: the loss falls from 1.69 to 1.27, and all four tensors move
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
model.fc = nn.Linear(model.fc.in_features, num_classes)  # FIX: before the optimizer is created
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

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
