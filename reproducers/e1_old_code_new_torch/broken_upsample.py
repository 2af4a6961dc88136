"""E1: a model that was pickled whole by torch 1.10 or older lacks an attribute.

torch.load() restores the attributes that the layer had then. torch 1.11 reads a new one. Here it is
deleted, in place of such a file.

Symptom: AttributeError: 'Upsample' object has no attribute 'recompute_scale_factor'
Needs:   torch; cpu; about 2 s
Run:     python broken_upsample.py; python fix_older_code.py
"""
import json
import sys

import torch
from torch import nn

if __name__ == "__main__":
    model = nn.Sequential(nn.Upsample(scale_factor=2))
    vars(model[0]).pop("recompute_scale_factor", None)  # BUG: as the old file has it
    outputs = model(torch.ones(1, 1, 2, 2))

    healthy = outputs.shape == (1, 1, 4, 4)
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(outputs.shape)}))
    sys.exit(0 if healthy else 1)
