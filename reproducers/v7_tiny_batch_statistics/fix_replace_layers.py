"""V7: BatchNorm layers can be replaced by GroupNorm in an existing model.

The function swaps each BatchNorm layer of a model for GroupNorm, which takes its statistics from
one sample.

Symptom: none: the output for one sample does not depend on the other sample in the batch
Needs:   torch; cpu; about 3 s
Run:     python fix_replace_layers.py
"""
import json
import sys

import torch
from torch import nn


def to_group_norm(module, groups=1):
    for name, child in module.named_children():
        if isinstance(child, nn.modules.batchnorm._BatchNorm):
            setattr(module, name, nn.GroupNorm(groups, child.num_features))  # FIX: no batch needed
        else:
            to_group_norm(child, groups)


def values_per_channel(model, images):
    counts, hooks = [], []
    for name, layer in model.named_modules():
        if isinstance(layer, nn.modules.batchnorm._BatchNorm):
            hooks.append(layer.register_forward_hook(
                lambda layer, inputs, output, name=name: counts.append(
                    (name, inputs[0].numel() // inputs[0].shape[1]))))
    model.eval()(images)
    for hook in hooks:
        hook.remove()
    return counts


torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                      nn.Flatten(), nn.Linear(16, 16), nn.BatchNorm1d(16))
images, others = torch.randn(2, 3, 8, 8), torch.randn(1, 3, 8, 8)

if __name__ == "__main__":
    counts = values_per_channel(model, images)
    to_group_norm(model)
    model.train()
    alone, in_company = model(images)[0], model(torch.cat([images[:1], others]))[0]

    independent = torch.allclose(alone, in_company, atol=1e-5)
    healthy = independent and len(values_per_channel(model, images)) == 0
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "values_per_channel_by_layer": [count for _, count in counts],
                                  "same_output_with_another_neighbour": independent}))
    sys.exit(0 if healthy else 1)
