"""O18: torch.no_grad() does not stop the BatchNorm statistics.

no_grad() stops gradients. The running statistics are buffers that the forward pass writes, and it
still writes them.

Symptom: the features differ by 1.097, as without no_grad()
Needs:   torch; cpu; about 3 s
Run:     python trap_no_grad.py; python fixed.py
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
    for epoch in range(5):
        model.train()
        optimizer.zero_grad()
        with torch.no_grad():  # BUG: no_grad() is about gradients, and buffers have none
            hidden = backbone(inputs)
        nn.functional.cross_entropy(head(hidden), labels).backward()
        optimizer.step()

    difference = round((features() - before).abs().max().item(), 3)
    moved = [name for name, v in backbone.state_dict().items() if not torch.equal(v, values[name])]
    healthy = difference == 0 and moved == []
    print("OBSERVED", json.dumps({"healthy": healthy, "features_differ_by": difference,
                                  "moved": moved}))
    sys.exit(0 if healthy else 1)
