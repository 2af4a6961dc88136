"""Q7: a step that skips a batch only if the message says "out of memory" shows all other errors.

Every other RuntimeError is raised again with its traceback, so the run ends at the first batch, and
the message names the two sizes that differ.

Symptom: none: the error reaches the caller at the first batch
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.nn.functional import mse_loss


def train(model, loader, optimizer):
    for inputs, targets in loader:
        try:
            optimizer.zero_grad()
            mse_loss(model(inputs), targets).backward()
            optimizer.step()
        except RuntimeError as error:  # FIX: look at the message
            if "out of memory" not in str(error):  # FIX: everything else
                raise  # FIX: with its traceback
            print("out of memory, batch skipped")


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = [(torch.randn(4, 8), torch.randn(4, 1)) for batch in range(4)]
    model = torch.nn.Linear(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    try:
        train(model, loader, optimizer)
        shown = "no error"
    except RuntimeError as error:
        shown = str(error)

    healthy = "shapes cannot be multiplied" in shown
    print("OBSERVED", json.dumps({"healthy": healthy, "shown": shown}))
    sys.exit(0 if healthy else 1)
