"""O36: rows without an allowed action are left unmasked, and excluded from the loss.

A row of a finished episode or of padding has no allowed action. It gets any action here, and
`usable` excludes it wherever a loss or a metric is computed.

Symptom: none: the rows with allowed actions get one of them, and one row is excluded
Needs:   torch; cpu; about 3 s
Run:     python broken_all_masked.py; python fix_all_masked.py
"""
import json
import sys

import torch
from torch.distributions import Categorical

torch.manual_seed(0)
scores = torch.randn(4, 3, requires_grad=True)
allowed = torch.tensor([[1, 1, 1], [1, 0, 1], [0, 0, 0], [0, 0, 1]], dtype=torch.bool)

if __name__ == "__main__":
    usable = allowed.any(1)
    hidden = ~allowed & usable[:, None]  # FIX: never hide a whole row
    distribution = Categorical(logits=scores.masked_fill(hidden, float("-inf")))
    actions = distribution.sample()
    loss = -distribution.log_prob(actions)[usable].mean()
    loss.backward()

    row = torch.arange(4)
    finite = bool(torch.isfinite(scores.grad).all())
    healthy = finite and bool(allowed[row, actions][usable].all()) and int(usable.sum()) == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "actions": actions.tolist(),
                                  "rows_used": int(usable.sum()), "gradient_finite": finite}))
    sys.exit(0 if healthy else 1)
