"""DP10: a Normalize in front of a detection model normalises twice.

torchvision's detection models normalise images themselves, with the ImageNet statistics, before
the backbone.

Symptom: a white pixel reaches the backbone as 7.7 to 9.93 instead of 2.25 to 2.64
Needs:   torch, torchvision; cpu; about 4 s
Run:     python trap_normalise_for_detection.py
"""
import json
import sys

import torch
from torch import nn

try:
    from torchvision import transforms
    from torchvision.models.detection import FasterRCNN
    from torchvision.models.detection.rpn import AnchorGenerator
    from torchvision.ops import MultiScaleRoIAlign
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)

torch.manual_seed(0)
torch.set_num_threads(1)
mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


class Backbone(nn.Conv2d):
    out_channels = 8

    def forward(self, images):
        self.received = images.mean(dim=(0, 2, 3))
        return super().forward(images)


if __name__ == "__main__":
    backbone = Backbone(3, 8, 3, stride=16)
    model = FasterRCNN(
        backbone, num_classes=2, min_size=64, max_size=64,
        rpn_anchor_generator=AnchorGenerator(((32,),), ((1.0,),)),
        box_roi_pool=MultiScaleRoIAlign(["0"], output_size=2, sampling_ratio=1),
    ).eval()

    white = torch.ones(3, 64, 64)
    normalised = transforms.Normalize(mean, std)(white)  # BUG: the model does this itself
    pixel = []
    with torch.no_grad():
        for image in (white, normalised):
            model([image])
            pixel.append([round(v, 2) for v in backbone.received.tolist()])

    healthy = pixel[0] == pixel[1]
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_input_and_channel": pixel}))
    sys.exit(0 if healthy else 1)
