"""O18: a frozen backbone still changes, because its BatchNorm statistics move.

running_mean and running_var are buffers, not parameters: in training mode BatchNorm overwrites them
in every forward pass, whether anything requires a gradient or not. requires_grad_(False) freezes
the weights of the layer; model.train() lets its statistics move.

Symptom: no parameter of the backbone has moved, but its features for the same input differ by 1.097
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

num_epochs = 5
torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
head = nn.Linear(16, 2)
model = nn.Sequential(backbone, head)
backbone(torch.randn(1024, 8))  # "pretrained" on data around 0
backbone.requires_grad_(False)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
inputs, labels = torch.randn(64, 8) + 3, torch.randint(2, (64,))  # the new data are elsewhere
probe = torch.randn(4, 8)


def features():
    backbone.eval()
    return backbone(probe)


if __name__ == "__main__":
    before, head_before = features(), head.weight.detach().clone()
    values = {name: v.clone() for name, v in backbone.state_dict().items()}
    for epoch in range(num_epochs):
        model.train()  # BUG: puts the BatchNorm layers of the backbone into training mode
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    difference = round((features() - before).abs().max().item(), 3)
    same = {name: torch.equal(v, values[name]) for name, v in backbone.state_dict().items()}
    head_moved = not torch.equal(head.weight, head_before)
    healthy = difference == 0 and all(same.values()) and head_moved
    print("OBSERVED", json.dumps({"healthy": healthy, "features_differ_by": difference,
                                  "unchanged": same, "head_moved": head_moved}))
    sys.exit(0 if healthy else 1)
