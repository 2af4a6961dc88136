"""P3: an LSTM gets a batch of the dtype of its weights.

This is for inference, or for a frozen model. For training, keep both in float32 and use autocast.

Symptom: none: the outputs have the dtype of the weights
Needs:   torch; cpu; about 2 s
Run:     python fix_recurrent.py; python broken_recurrent.py
"""
import json
import sys

import torch
from torch import nn

half = torch.bfloat16  # the same rules as float16, and every CPU has it


if __name__ == "__main__":
    lstm = nn.LSTM(8, 4).to(half)
    batch = torch.randn(3, 2, 8).to(next(lstm.parameters()).dtype)  # FIX: as the weights
    outputs, _ = lstm(batch)

    healthy = list(outputs.shape) == [3, 2, 4] and outputs.dtype == half
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(outputs.dtype)}))
    sys.exit(0 if healthy else 1)
