"""S5: a vision transformer was built for 32 x 32, and gets 36 x 36.

Its position embedding has one row for each patch of that size.

Symptom: AssertionError: Wrong image height! Expected 32 but got 36!
Needs:   torch, torchvision; cpu; about 4 s
Run:     python broken_vision_transformer.py; python fix_vision_transformer.py
"""
import json
import sys

import torch

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
    scores = model(images)  # BUG: 36 x 36

    healthy = list(scores.shape) == [2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "scores": list(scores.shape)}))
    sys.exit(0 if healthy else 1)
