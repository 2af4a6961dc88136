"""O18: a train() method that leaves the backbone in eval mode keeps it the same.

model.train() calls the train() of each child. The model's own train() sets the backbone back to
eval mode, whoever calls it.

Symptom: none: the features are the same, and the training loop only calls model.train()
Needs:   torch; cpu; about 3 s
Run:     python fix_train_method.py
"""
import json
import sys

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, backbone, head):
        super().__init__()
        self.backbone, self.head = backbone, head

    def forward(self, x):
        return self.head(self.backbone(x))

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()  # FIX: whoever calls train(), the frozen backbone stays in eval mode
        return self


torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
head = nn.Linear(16, 2)
model = Model(backbone, head)
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
    for epoch in range(5):
        model.train()
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
