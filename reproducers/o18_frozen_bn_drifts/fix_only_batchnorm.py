"""O18: BatchNorm layers in eval mode keep their values while the rest trains.

After each model.train(), the BatchNorm layers go back to eval mode and their weight and bias are
frozen. The other layers train.

Symptom: none: the linear layer of the backbone moves, its BatchNorm layer does not
Needs:   torch; cpu; about 3 s
Run:     python fix_only_batchnorm.py
"""
import json
import sys

import torch
from torch import nn


def freeze_batchnorm(model):
    for layer in model.modules():
        if isinstance(layer, nn.modules.batchnorm._BatchNorm):
            layer.eval()  # FIX: BatchNorm1d, 2d, 3d and SyncBatchNorm keep their statistics
            layer.requires_grad_(False)


torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
model = nn.Sequential(backbone, nn.Linear(16, 2))
backbone(torch.randn(1024, 8))  # "pretrained" on data around 0
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs, labels = torch.randn(64, 8) + 3, torch.randint(2, (64,))  # the new data are elsewhere

if __name__ == "__main__":
    values = {name: v.clone() for name, v in backbone.state_dict().items()}
    for epoch in range(5):
        model.train()
        freeze_batchnorm(model)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    moved = [name for name, v in backbone.state_dict().items() if not torch.equal(v, values[name])]
    healthy = moved == ["0.weight", "0.bias"]
    print("OBSERVED", json.dumps({"healthy": healthy, "moved": moved}))
    sys.exit(0 if healthy else 1)
