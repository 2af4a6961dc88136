"""S2: on a GPU the message does not name the embedding.

The kernel asserts that the row exists, and Python learns of it at the next line that waits for
the GPU.

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
    embedding = nn.Embedding(4, 3).cuda()
    vectors = embedding(torch.tensor([1, 2, 4]).cuda())  # BUG: the last row is 3
    total = vectors.sum().item()  # the traceback ends here

    healthy = abs(total) < 100
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total}))
    sys.exit(0 if healthy else 1)
