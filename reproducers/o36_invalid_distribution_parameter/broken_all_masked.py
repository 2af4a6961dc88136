"""O36: if the mask forbids every action of one row, its logits are nan.

Categorical subtracts logsumexp from the logits. For a row of only -inf, this is -inf minus -inf.

Symptom: ValueError: Expected parameter logits (...) of distribution Categorical(...)
Needs:   torch; cpu; about 3 s
Run:     python broken_all_masked.py; python fix_all_masked.py
"""
import json
import sys

import torch
from torch.distributions import Categorical

torch.manual_seed(0)
scores = torch.randn(4, 3)
allowed = torch.tensor([[1, 1, 1], [1, 0, 1], [0, 0, 0], [0, 0, 1]], dtype=torch.bool)

if __name__ == "__main__":
    logits = scores.masked_fill(~allowed, float("-inf"))  # BUG: row 2 has no action left
    actions = Categorical(logits=logits).sample()

    row = torch.arange(4)
    healthy = bool((allowed[row, actions] | ~allowed.any(1)).all())
    print("OBSERVED", json.dumps({"healthy": healthy, "actions": actions.tolist()}))
    sys.exit(0 if healthy else 1)
