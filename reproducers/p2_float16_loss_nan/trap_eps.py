"""P2: an eps of 1e-8 is 0 in float16.

The smallest positive number of float16 is 6e-8. Anything below half of it is rounded to 0.

Symptom: normalising a zero vector gives nan in spite of the eps
Needs:   torch; cpu; about 3 s
Run:     python trap_eps.py
"""
import json
import sys

import torch
from torch import nn

if __name__ == "__main__":
    x = nn.Parameter(torch.zeros(4).half())
    eps = torch.tensor(1e-8).half()  # BUG: rounded to 0; 1e-4 would do
    normalised = x / (x.norm() + eps)

    healthy = bool(torch.isfinite(normalised).all())
    print("OBSERVED", json.dumps({"healthy": healthy, "eps_in_float16": eps.item(),
                                  "normalised": [str(v) for v in normalised.tolist()]}))
    sys.exit(0 if healthy else 1)
