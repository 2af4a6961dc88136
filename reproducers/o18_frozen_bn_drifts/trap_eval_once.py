"""O18: backbone.eval() before the loop is undone by model.train().

model.train() at the start of each epoch puts every child back into training mode, the backbone
included.

Symptom: the features differ by 1.097, as without backbone.eval()
Needs:   torch; cpu; about 3 s
Run:     python trap_eval_once.py; python fixed.py
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


def features():
    backbone.eval()
    return backbone(probe)


if __name__ == "__main__":
    before, values = features(), {name: v.clone() for name, v in backbone.state_dict().items()}
    backbone.eval()
    for epoch in range(5):
        model.train()  # BUG: sets the backbone back to training mode
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    difference = round((features() - before).abs().max().item(), 3)
    moved = [name for name, v in backbone.state_dict().items() if not torch.equal(v, values[name])]
    healthy = difference == 0 and moved == []
    print("OBSERVED", json.dumps({"healthy": healthy, "features_differ_by": difference,
                                  "moved": moved}))
    sys.exit(0 if healthy else 1)
