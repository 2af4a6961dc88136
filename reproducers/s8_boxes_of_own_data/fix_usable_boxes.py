"""S8: boxes of an annotation file, turned into x1, y1, x2, y2, clipped, and without flat ones.

The boxes are clipped to the image first, since a box outside becomes flat only then. The labels are
filtered with the same mask.

Symptom: none: four images, four boxes of six, finite losses
Needs:   torch, torchvision; cpu; about 5 s
Run:     python fix_usable_boxes.py
"""
import json
import math
import sys

import torch

try:
    from torchvision.models.detection import FasterRCNN
    from torchvision.models.detection.rpn import AnchorGenerator
    from torchvision.ops import MultiScaleRoIAlign
except ImportError:
    print("SKIPPED torchvision is not installed")
    sys.exit(77)

# The boxes of four images, as in a COCO file. Those of the third image are outside or flat.
annotations = [[[8, 8, 32, 32]], [[4, 4, 26, 16], [20, 31, 30, 30]],
               [[70, 5, 20, 9], [9, 9, 0.2, 30]], [[40, 20, 50, 30]]]


def small_detector():
    backbone = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, stride=8, padding=1), torch.nn.ReLU())
    backbone.out_channels = 8
    return FasterRCNN(backbone, num_classes=2, min_size=64, max_size=64,
                      rpn_anchor_generator=AnchorGenerator(((16, 32),), ((1.0,),)),
                      box_roi_pool=MultiScaleRoIAlign(["0"], output_size=2, sampling_ratio=1))


def usable(boxes, labels, width, height):
    """COCO boxes (x, y, width, height) as x1, y1, x2, y2, clipped and without flat ones."""
    boxes = torch.as_tensor(boxes, dtype=torch.float32).reshape(-1, 4)
    boxes = torch.cat([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], dim=1)  # FIX: corners
    limits = torch.tensor([width, height, width, height], dtype=torch.float32)
    boxes = torch.minimum(boxes.clamp(min=0), limits)  # FIX: inside of the image
    keep = ((boxes[:, 2:] - boxes[:, :2]) >= 1).all(dim=1)  # FIX: at least one pixel
    return boxes[keep], torch.as_tensor(labels, dtype=torch.int64)[keep]


def target_of(boxes):
    boxes, labels = usable(boxes, [1] * len(boxes), 64, 64)
    return {"boxes": boxes, "labels": labels}


if __name__ == "__main__":
    torch.manual_seed(0)
    model = small_detector()
    losses, num_boxes = [], 0
    for boxes in annotations:
        target = target_of(boxes)
        loss = sum(model([torch.rand(3, 64, 64)], [target]).values())
        loss.backward()
        losses.append(loss.item())
        num_boxes += int((target["boxes"][:, 2:] <= 64).all(dim=1).sum())

    healthy = len(losses) == 4 and all(map(math.isfinite, losses)) and num_boxes == 4
    print("OBSERVED", json.dumps({"healthy": healthy, "images": len(losses), "boxes": num_boxes}))
    sys.exit(0 if healthy else 1)
