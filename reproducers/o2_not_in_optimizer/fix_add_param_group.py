"""O2: add_param_group hands a new layer to an existing optimizer.

add_param_group adds the parameters of the new head and keeps the state of all others. The tensors
of the old head stay in the optimizer and do nothing.

Symptom: none: every parameter of the model moves; the tensors of the old head stay in the optimizer
Needs:   torch; cpu; about 2 s
Run:     python fix_add_param_group.py
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
model.fc = nn.Linear(model.fc.in_features, num_classes)
optimizer.add_param_group({"params": model.fc.parameters()})  # FIX: hand over the new head

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
    held = sum(len(group["params"]) for group in optimizer.param_groups)
    healthy = moved == list(before)
    print("OBSERVED", json.dumps({"healthy": healthy, "moved": moved,
                                  "not_moved": sorted(set(before) - set(moved)),
                                  "tensors_in_optimizer": held,
                                  "tensors_in_model": len(before),
                                  "loss_first_and_last": [losses[0], losses[-1]]}))
    sys.exit(0 if healthy else 1)
