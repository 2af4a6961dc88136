"""S16: the width of a hidden layer is half of another one, and / makes a float of it.

In Python 16 / 2 is 8.0. A size has to be an int.

Symptom: TypeError: empty(): ... must be tuple of ints, but found element of type float
Needs:   torch; cpu; about 2 s
Run:     python broken_size.py; python fix_types.py
"""
import json
import sys

import torch
from torch import nn

width = 16


if __name__ == "__main__":
    model = nn.Linear(width, width / 2)  # BUG: 8.0

    healthy = model(torch.zeros(1, width)).shape[1] == 8
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
