"""C33: missing counters are accepted, and nothing else.

num_batches_tracked is used only with momentum=None. Everything else must be there.

Symptom: none: the outputs are those of the trained model
Needs:   torch; cpu; about 2 s
Run:     python fix_num_batches.py
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
    report = model.load_state_dict(state, strict=False)  # FIX: and look at the report
    others = sum(not key.endswith("num_batches_tracked") for key in report.missing_keys)
    assert others == 0 and not report.unexpected_keys, report
    x = torch.randn(8, 4)
    difference = (model.eval()(x) - trained.eval()(x)).abs().max().item()

    healthy = difference == 0 and len(report.missing_keys) == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors": len(state),
                                  "difference": round(difference, 3)}))
    sys.exit(0 if healthy else 1)
