"""C33: only num_batches_tracked is missing.

A state_dict keeps the version of its layers, so torch fills in the counter for files that are
older than the counter. Here it was removed from a newer file.

Symptom: RuntimeError: Missing key(s) in state_dict: "1.num_batches_tracked"
Needs:   torch; cpu; about 2 s
Run:     python broken_num_batches.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    torch.manual_seed(0)
    trained = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    trained(torch.randn(8, 4))
    state = trained.state_dict()
    for key in [key for key in state if key.endswith("num_batches_tracked")]:
        del state[key]  # so that torch 0.4.0 accepts the file
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    model.load_state_dict(state)  # BUG: the counters are missing
    x = torch.randn(8, 4)
    difference = (model.eval()(x) - trained.eval()(x)).abs().max().item()

    healthy = difference == 0 and len(state) == 6
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors": len(state),
                                  "difference": round(difference, 3)}))
    sys.exit(0 if healthy else 1)
