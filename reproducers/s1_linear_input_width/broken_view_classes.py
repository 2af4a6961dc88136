"""S1: a detection head predicts 80 classes, and its output is reshaped for 20.

Each anchor has 5 numbers for its box and one for each class. The head was built with the 80 classes
of the checkpoint, and the reshape uses the 20 classes of the dataset.

Symptom: shape '[2, 3, 25, 8, 8]' is invalid for input of size 32640
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
    head = nn.Conv2d(16, anchors * (5 + 80), 1)  # BUG: 80 here
    boxes = head(features).view(num_images, anchors, 5 + classes, 8, 8)

    healthy = tuple(boxes.shape) == (num_images, anchors, 5 + classes, 8, 8)
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(boxes.shape)}))
    sys.exit(0 if healthy else 1)
