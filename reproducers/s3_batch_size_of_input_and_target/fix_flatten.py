"""S3: flatten(1) keeps one row for each image.

flatten(1) joins all axes but the first. If the width does not suit the next layer, the message
comes from that layer.

Symptom: none: 8 rows of logits for 8 labels
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
    rows = features.flatten(1)  # FIX: one row for each image
    logits = nn.Linear(rows.shape[1], classes)(rows)
    loss = nn.functional.cross_entropy(logits, labels)

    healthy = list(logits.shape) == [8, 3] and 0 < loss.item() < 5
    print("OBSERVED", json.dumps({"healthy": healthy, "logits": list(logits.shape)}))
    sys.exit(0 if healthy else 1)
