"""S1: the head and the reshape take the number of classes from one place.

The number is written once, so the layer and the code that takes its output apart agree.

Symptom: none: 25 numbers for each of 3 anchors
Needs:   torch; cpu; about 2 s
Run:     python broken_view_classes.py; python fix_view_classes.py
"""
import json
import sys

import torch
from torch import nn

num_images = 2
anchors = 3
classes = 20


if __name__ == "__main__":
    torch.manual_seed(0)
    features = torch.randn(num_images, 16, 8, 8)
    head = nn.Conv2d(16, anchors * (5 + classes), 1)  # FIX: the same number
    boxes = head(features).view(num_images, anchors, 5 + classes, 8, 8)

    healthy = tuple(boxes.shape) == (num_images, anchors, 5 + classes, 8, 8)
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(boxes.shape)}))
    sys.exit(0 if healthy else 1)
