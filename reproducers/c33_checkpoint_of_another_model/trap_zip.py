"""C33: loading by position puts weights into the wrong layers.

zip() pairs the names of the model with the tensors of the file in their order. Here the new code
defines two layers of equal shape in another order. All shapes fit, so nothing is raised.

Symptom: no error, and other outputs than those of the trained model
Needs:   torch; cpu; about 2 s
Run:     python trap_zip.py
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
    model.load_state_dict(dict(zip(model.state_dict(), state.values())))  # BUG: by position
    x = torch.randn(4, 8)
    difference = (model(x) - trained(x)).abs().max().item()

    healthy = difference == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors": len(state),
                                  "difference": round(difference, 3)}))
    sys.exit(0 if healthy else 1)
