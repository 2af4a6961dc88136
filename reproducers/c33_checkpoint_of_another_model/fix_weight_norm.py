"""C33: a model with the new weight_norm loads the files of both.

parametrizations.weight_norm renames weight_g and weight_v when it loads them.

Symptom: none: the outputs are those of both trained models
Needs:   torch; cpu; about 2 s
Run:     python fix_weight_norm.py; python broken_weight_norm.py
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
    x = torch.randn(3, 4)
    differences = []
    for weight_norm in (new_weight_norm, nn.utils.weight_norm):
        trained = weight_norm(nn.Linear(4, 2))
        model = new_weight_norm(nn.Linear(4, 2))  # FIX: the new one, whatever wrote the file
        model.load_state_dict(trained.state_dict())
        differences.append(round((model(x) - trained(x)).abs().max().item(), 6))

    healthy = differences == [0.0, 0.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "difference_by_file": differences}))
    sys.exit(0 if healthy else 1)
