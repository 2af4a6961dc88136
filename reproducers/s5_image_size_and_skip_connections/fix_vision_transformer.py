"""S5: images are resized to the size that a vision transformer was built for.

A pretrained model needs its own size, such as 224 x 224.

Symptom: none: a row of scores for each image
Needs:   torch, torchvision; cpu; about 4 s
Run:     python fix_vision_transformer.py; python broken_vision_transformer.py
"""
import json
import sys

import torch
from torch.nn import functional as F

try:
    from torchvision.models import VisionTransformer
except ImportError:
    print("SKIPPED VisionTransformer is not in this torchvision")
    sys.exit(77)

if __name__ == "__main__":
    torch.manual_seed(0)
    model = VisionTransformer(image_size=32, patch_size=8, num_layers=1, num_heads=2,
                              hidden_dim=8, mlp_dim=8, num_classes=3)
    images = torch.rand(2, 3, 36, 36)
    scores = model(F.interpolate(images, size=(32, 32)))  # FIX

    healthy = list(scores.shape) == [2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "scores": list(scores.shape)}))
    sys.exit(0 if healthy else 1)
