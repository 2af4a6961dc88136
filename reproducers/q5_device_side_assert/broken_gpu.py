"""Q5: on a GPU the error appears at a later line.

The kernel of cross_entropy asserts that each label is in range. Python has gone on by then, and the
next line that waits for the GPU raises.

Symptom: CUDA error: device-side assert triggered, at the line with item()
Needs:   torch; cuda; about 10 s
Run:     python broken_gpu.py; python fix_launch_blocking.py
"""
import json
import sys

import torch
from torch import nn

classes = 3


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED this needs a GPU")
        sys.exit(77)
    model = nn.Linear(4, classes).cuda()
    labels = torch.tensor([1, 2, 3]).cuda()
    loss = nn.functional.cross_entropy(model(torch.ones(3, 4).cuda()), labels)  # BUG: label 3
    value = loss.item()  # the traceback ends here

    healthy = value > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": value}))
    sys.exit(0 if healthy else 1)
