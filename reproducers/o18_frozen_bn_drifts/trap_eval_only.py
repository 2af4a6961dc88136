"""O18: eval() without requires_grad_(False) freezes no parameter.

eval() stops the running statistics. The weight and bias of the layer still require gradients, and
the optimizer moves them.

Symptom: the statistics stay the same; weight and bias move
Needs:   torch; cpu; about 3 s
Run:     python trap_eval_only.py; python fixed.py
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
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # BUG: eval() freezes no parameter
inputs, labels = torch.randn(64, 8) + 3, torch.randint(2, (64,))  # the new data are elsewhere
probe = torch.randn(4, 8)


def features():
    backbone.eval()
    return backbone(probe)


if __name__ == "__main__":
    before, values = features(), {name: v.clone() for name, v in backbone.state_dict().items()}
    for epoch in range(5):
        model.train()
        backbone.eval()
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    difference = round((features() - before).abs().max().item(), 3)
    moved = [name for name, v in backbone.state_dict().items() if not torch.equal(v, values[name])]
    healthy = difference == 0 and moved == []
    print("OBSERVED", json.dumps({"healthy": healthy, "features_differ_by": difference,
                                  "moved": moved}))
    sys.exit(0 if healthy else 1)
