"""Q5: after an assert, every later call on the GPU fails.

An assert destroys the CUDA context of the process. Catching the error and going on with the next
batch cannot work.

Symptom: the batch after the faulty one fails as well, without any fault
Needs:   torch; cuda; about 10 s
Run:     python trap_skip_batch_gpu.py
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
    failed = []
    for label in (3, 0):  # the second batch is sound
        try:
            nn.functional.cross_entropy(model(torch.ones(1, 4).cuda()),
                                        torch.tensor([label]).cuda()).item()
        except RuntimeError:
            failed.append(label)  # BUG: the process cannot go on

    healthy = failed == [3]
    print("OBSERVED", json.dumps({"healthy": healthy, "failed_labels": failed}))
    sys.exit(0 if healthy else 1)
