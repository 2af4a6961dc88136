"""S8: the boxes of a target are a Python list.

A JSON file gives lists, and the detectors of torchvision want tensors.

Symptom: Expected target boxes to be of type Tensor, got <class 'list'>.
Needs:   torch, torchvision; cpu; about 5 s
Run:     python broken_list_of_boxes.py; python fix_target_types.py
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

# The boxes of four images, as x1, y1, x2, y2
annotations = [[[8, 8, 40, 40]], [[4, 4, 30, 20], [20, 30, 50, 60]],
               [[10, 20, 60, 40]], [[10, 20, 60, 50]]]


def small_detector():
    backbone = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, stride=8, padding=1), torch.nn.ReLU())
    backbone.out_channels = 8
    return FasterRCNN(backbone, num_classes=2, min_size=64, max_size=64,
                      rpn_anchor_generator=AnchorGenerator(((16, 32),), ((1.0,),)),
                      box_roi_pool=MultiScaleRoIAlign(["0"], output_size=2, sampling_ratio=1))


def target_of(boxes):
    return {"boxes": boxes, "labels": torch.ones(len(boxes), dtype=torch.int64)}  # BUG: a list


if __name__ == "__main__":
    torch.manual_seed(0)
    model = small_detector()
    losses, num_boxes = [], 0
    for boxes in annotations:
        target = target_of(boxes)
        loss = sum(model([torch.rand(3, 64, 64)], [target]).values())
        loss.backward()
        losses.append(loss.item())
        num_boxes += len(target["boxes"])

    healthy = len(losses) == 4 and all(map(math.isfinite, losses)) and num_boxes == 5
    print("OBSERVED", json.dumps({"healthy": healthy, "images": len(losses), "boxes": num_boxes}))
    sys.exit(0 if healthy else 1)
