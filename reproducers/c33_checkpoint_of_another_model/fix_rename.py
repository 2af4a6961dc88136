"""C33: the old names are mapped to the new ones, and then loaded strictly.

Each old name is given with its new name. A strict load then shows that none was forgotten.

Symptom: none: the outputs are those of the trained model
Needs:   torch; cpu; about 2 s
Run:     python fix_rename.py
"""
import json
import sys

import torch
from torch import nn

renamed = {"query.": "q.", "key.": "k.", "world_classifier.": "map_classifier."}


def with_new_names(state):
    """The state of the old code under the names of the new code."""
    result = {}
    for key, value in state.items():
        old = next((old for old in renamed if key.startswith(old)), "")
        result[renamed.get(old, "") + key[len(old):]] = value
    return result


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
    model.load_state_dict(with_new_names(state))  # FIX: strict, so no name can be forgotten
    x = torch.randn(4, 8)
    difference = (model(x) - trained(x)).abs().max().item()

    healthy = difference == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors": len(state),
                                  "difference": round(difference, 3)}))
    sys.exit(0 if healthy else 1)
