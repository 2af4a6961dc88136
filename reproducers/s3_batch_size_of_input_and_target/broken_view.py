"""S3: view(-1, n) makes more rows when the images are larger.

The width 16 fits images of 8 x 8. With images of 16 x 16 each image becomes four rows, and the
loss gets 32 rows for 8 labels.

Symptom: ValueError: Expected input batch_size (32) to match target batch_size (8).
Needs:   torch; cpu; about 2 s
Run:     python broken_view.py; python fix_flatten.py
"""
import json
import sys

import torch
from torch import nn

batch_size, side, classes = 8, 16, 3


if __name__ == "__main__":
    images = torch.ones(batch_size, 1, side, side)
    labels = torch.arange(batch_size) % classes
    features = nn.functional.max_pool2d(images, 2)
    rows = features.view(-1, 16)  # BUG: 4 rows for each image
    logits = nn.Linear(rows.shape[1], classes)(rows)
    loss = nn.functional.cross_entropy(logits, labels)

    healthy = list(logits.shape) == [8, 3] and 0 < loss.item() < 5
    print("OBSERVED", json.dumps({"healthy": healthy, "logits": list(logits.shape)}))
    sys.exit(0 if healthy else 1)
