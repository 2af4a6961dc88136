"""O18: FrozenBatchNorm2d does not change in either mode.

FrozenBatchNorm2d has buffers only and normalises by them in both modes. Neither the optimizer nor
the forward pass changes it.

Symptom: none: the features are the same after the swap and after training
Needs:   torch, torchvision; cpu; about 5 s
Run:     python fix_frozen_batchnorm2d.py
"""
import json
import sys

import torch
from torch import nn

try:
    from torchvision.ops.misc import FrozenBatchNorm2d
except ImportError:
    print("SKIPPED torchvision is not installed")
    sys.exit(77)


def replace_batchnorm(module):
    for name, child in module.named_children():
        if isinstance(child, nn.BatchNorm2d):
            frozen = FrozenBatchNorm2d(child.num_features, eps=child.eps)
            frozen.load_state_dict(child.state_dict())
            setattr(module, name, frozen)  # FIX: no parameters, and the same in both modes
        else:
            replace_batchnorm(child)


torch.manual_seed(0)
backbone = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
model = nn.Sequential(backbone, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
backbone(torch.randn(64, 3, 8, 8))  # "pretrained" on data around 0
inputs, labels = torch.randn(16, 3, 8, 8) + 3, torch.randint(2, (16,))  # the new data are elsewhere
probe = torch.randn(4, 3, 8, 8)

if __name__ == "__main__":
    model.eval()
    before = backbone(probe)
    replace_batchnorm(model)
    swapped = round((backbone(probe) - before).abs().max().item(), 3)
    backbone.requires_grad_(False)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
    for epoch in range(5):
        model.train()
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    difference = round((backbone(probe) - before).abs().max().item(), 3)
    healthy = swapped == 0 and difference == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "features_differ_after_swap_by": swapped,
                                  "features_differ_after_training_by": difference}))
    sys.exit(0 if healthy else 1)
