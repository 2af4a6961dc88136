"""C33: the layers were renamed between two versions of the code.

The file was written before the change. Missing and unexpected names come in pairs of equal
shapes.

Symptom: RuntimeError: Missing key(s) in state_dict: "k.weight", ... Unexpected: "query.weight"
Needs:   torch; cpu; about 2 s
Run:     python broken_renamed.py
"""
import json
import sys

import torch
from torch import nn


class Old(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.query = nn.Linear(8, 8)
        self.key = nn.Linear(8, 8)
        self.world_classifier = nn.Linear(8, 2)

    def forward(self, x):
        x = self.norm(x)
        return self.world_classifier(torch.relu(self.query(x)) - torch.relu(self.key(x)))


class New(nn.Module):
    """The same model in a later version of the code."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.k = nn.Linear(8, 8)
        self.q = nn.Linear(8, 8)
        self.map_classifier = nn.Linear(8, 2)

    def forward(self, x):
        x = self.norm(x)
        return self.map_classifier(torch.relu(self.q(x)) - torch.relu(self.k(x)))


if __name__ == "__main__":
    torch.manual_seed(0)
    trained, model = Old(), New()
    state = trained.state_dict()
    model.load_state_dict(state)  # BUG: the names are those of the old code
    x = torch.randn(4, 8)
    difference = (model(x) - trained(x)).abs().max().item()

    healthy = difference == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors": len(state),
                                  "difference": round(difference, 3)}))
    sys.exit(0 if healthy else 1)
