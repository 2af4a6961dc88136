"""P3: the result of autocast is cast to float32.

Call float() at the end of the autocast block, or put the rest of the forward pass and the loss into
the block.

Symptom: none: the scores are float32
Needs:   torch; cpu; about 2 s
Run:     python broken_after_autocast.py; python fix_after_autocast.py
"""
import json
import sys

import torch
from torch import nn

half = torch.bfloat16  # the same rules as float16, and every CPU has it

if not hasattr(torch, "autocast"):
    print("SKIPPED torch.autocast came with torch 1.10")
    sys.exit(77)


if __name__ == "__main__":
    torch.manual_seed(0)
    body, head = nn.Linear(8, 4), nn.Linear(4, 2)
    with torch.autocast("cpu", dtype=half):
        features = body(torch.randn(16, 8))
    scores = head(features.float())  # FIX

    healthy = scores.dtype == torch.float32 and list(scores.shape) == [16, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(scores.dtype)}))
    sys.exit(0 if healthy else 1)
