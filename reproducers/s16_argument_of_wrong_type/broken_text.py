"""S16: the learning rate comes from a text file and is still text.

The optimizer compares it with 0, and Python cannot compare a number with text.

Symptom: TypeError: '<' not supported between instances of 'str' and 'float'
Needs:   torch; cpu; about 2 s
Run:     python broken_text.py; python fix_types.py
"""
import json
import sys

import torch
from torch import nn

SETTINGS = "lr = 1e-2\nwidth = 16"


if __name__ == "__main__":
    settings = dict(line.split(" = ") for line in SETTINGS.splitlines())
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=settings["lr"])  # BUG: "1e-2" is text

    healthy = optimizer.param_groups[0]["lr"] == 1e-2
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
