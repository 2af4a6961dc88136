"""Q5: with CUDA_LAUNCH_BLOCKING=1 the traceback ends at the right line.

The variable makes Python wait for every kernel, so the error is raised by the call that caused it.
It has to be set before the first use of the GPU.

Symptom: none: the traceback names the line with cross_entropy
Needs:   torch; cuda; about 10 s
Run:     CUDA_LAUNCH_BLOCKING=1 python train.py for your own script
"""
import json
import os
import sys
import traceback

import torch
from torch import nn

classes = 3


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED this needs a GPU")
        sys.exit(77)
    os.environ["CUDA_LAUNCH_BLOCKING"] = "1"  # FIX: before the first CUDA call
    model = nn.Linear(4, classes).cuda()
    labels = torch.tensor([1, 2, 3]).cuda()
    blamed = "none"
    try:
        loss = nn.functional.cross_entropy(model(torch.ones(3, 4).cuda()), labels)
        value = loss.item()
    except RuntimeError as error:
        blamed = traceback.extract_tb(error.__traceback__)[0].line

    healthy = "cross_entropy" in blamed
    print("OBSERVED", json.dumps({"healthy": healthy, "blamed": blamed}))
    sys.exit(0 if healthy else 1)
