"""DP10: weights.transforms() accepts BGR and floats in 0..255.

Since torchvision 0.13 each set of weights has its own transforms: resize, crop, scale uint8 to
0..1, normalise. They convert neither BGR nor floats in 0..255.

Symptom: one red image, three inputs, three different pixels, no error
Needs:   torch, torchvision, numpy; cpu; about 4 s
Run:     python trap_weights_transforms_convert.py
"""
import json
import sys

import numpy as np
import torch

try:
    from torchvision.models import ResNet50_Weights
except ImportError:
    print("SKIPPED torchvision 0.13 or newer is not installed")
    sys.exit(77)

if __name__ == "__main__":
    preprocess = ResNet50_Weights.IMAGENET1K_V2.transforms()

    image = np.zeros((260, 300, 3), dtype=np.uint8)
    image[:] = (255, 0, 0)
    rgb = torch.from_numpy(image).permute(2, 0, 1)
    inputs = [
        rgb,
        rgb.flip(0),  # BUG: BGR, as cv2 reads it; the transforms cannot know
        rgb.float(),  # BUG: floats are not divided by 255
    ]
    pixel = [[round(v, 2) for v in preprocess(x)[:, 112, 112].tolist()] for x in inputs]

    healthy = pixel[0] == pixel[1] == pixel[2]
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_input_and_channel": pixel}))
    sys.exit(0 if healthy else 1)
