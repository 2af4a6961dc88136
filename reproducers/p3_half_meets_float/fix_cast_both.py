"""P3: weights and floating inputs have the same dtype.

This is for inference, or for a frozen model: nothing is updated, so no small update can be lost.

Symptom: none: the scores have the dtype of the model
Needs:   torch; cpu; about 2 s
Run:     python broken_frozen.py; python fix_cast_both.py
"""
import json
import sys

import torch
from torch import nn

half = torch.bfloat16  # the same rules as float16, and every CPU has it


if __name__ == "__main__":
    encoder = nn.Linear(8, 4).to(half)
    images = torch.randn(16, 8).to(next(encoder.parameters()).dtype)  # FIX: as the weights
    features = encoder(images)

    healthy = features.dtype == half and list(features.shape) == [16, 4]
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(features.dtype)}))
    sys.exit(0 if healthy else 1)
