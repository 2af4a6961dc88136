"""C33: a file of the new weight_norm does not load into a model with the old one.

torch.nn.utils.parametrizations.weight_norm names its tensors differently. The opposite direction
loads: the new one renames the old names itself.

Symptom: Missing key(s) in state_dict: "weight_g", "weight_v".
Needs:   torch; cpu; about 2 s
Run:     python broken_weight_norm.py; python fix_weight_norm.py
"""
import json
import sys

import torch
from torch import nn

try:
    from torch.nn.utils.parametrizations import weight_norm as new_weight_norm
except ImportError:
    print("SKIPPED torch.nn.utils.parametrizations.weight_norm is not in this torch")
    sys.exit(77)

if __name__ == "__main__":
    torch.manual_seed(0)
    trained = new_weight_norm(nn.Linear(4, 2))
    model = nn.utils.weight_norm(nn.Linear(4, 2))
    state = trained.state_dict()
    model.load_state_dict(state)  # BUG: parametrizations.weight.original0 and original1
    x = torch.randn(3, 4)
    difference = (model(x) - trained(x)).abs().max().item()

    healthy = difference < 1e-6
    print("OBSERVED", json.dumps({"healthy": healthy, "difference": round(difference, 3)}))
    sys.exit(0 if healthy else 1)
