"""Q7: an "except RuntimeError" for out of memory hides every other error of the step.

The loop skips batches that do not fit into memory. A layer of the wrong size is a RuntimeError as
well, so every batch is skipped, and the program ends as if it had trained.

Symptom: "out of memory, batch skipped" for all 4 batches, although each has 128 bytes
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
        except RuntimeError:  # BUG: most errors of torch are a RuntimeError
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
