"""O18: momentum = 0 keeps the statistics, but training does not use them.

With momentum 0 the running statistics are never updated. In training mode the layer still
normalises by the batch, so the head trains on different features from those of eval mode.

Symptom: the features in training mode and in eval mode differ by 1.279
Needs:   torch; cpu; about 3 s
Run:     python trap_momentum_zero.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
head = nn.Linear(16, 2)
model = nn.Sequential(backbone, head)
backbone(torch.randn(1024, 8))  # "pretrained" on data around 0
backbone.requires_grad_(False)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
inputs, labels = torch.randn(64, 8) + 3, torch.randint(2, (64,))  # the new data are elsewhere
probe = torch.randn(4, 8)
backbone[1].momentum = 0.0  # BUG: keeps statistics that training does not use


def features():
    backbone.eval()
    return backbone(probe)


if __name__ == "__main__":
    values = {name: v.clone() for name, v in backbone.state_dict().items()}
    for epoch in range(5):
        model.train()
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    in_eval = features()
    backbone.train()
    in_training = backbone(probe)
    difference = round((in_training - in_eval).abs().max().item(), 3)
    moved = [name for name in ("1.running_mean", "1.running_var")
             if not torch.equal(backbone.state_dict()[name], values[name])]
    healthy = difference == 0 and moved == []
    print("OBSERVED", json.dumps({"healthy": healthy, "moved": moved,
                                  "features_in_training_and_eval_differ_by": difference}))
    sys.exit(0 if healthy else 1)
