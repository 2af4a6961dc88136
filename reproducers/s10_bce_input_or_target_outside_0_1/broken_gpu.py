"""S10: on a GPU the assertion is printed, and the exception does not name the loss.

The kernel of BCELoss asserts that its input is a probability. Python learns of it at the next line
that waits for the GPU.

Symptom: torch.AcceleratorError: CUDA error: device-side assert triggered, at the line with item()
Needs:   torch; cuda; about 10 s
Run:     python broken_gpu.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED this needs a GPU")
        sys.exit(77)
    raw = torch.tensor([-1.2, 0.3, 2.5]).cuda()
    loss = nn.BCELoss()(raw, torch.tensor([0.0, 1.0, 1.0]).cuda())  # BUG: no sigmoid
    value = loss.item()  # the traceback ends here

    healthy = 0 < value < 10
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": value}))
    sys.exit(0 if healthy else 1)
