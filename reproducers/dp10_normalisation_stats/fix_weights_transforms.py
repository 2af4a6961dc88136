"""DP10: weights.transforms() does what the weights expect.

Since torchvision 0.13 each set of weights has its own transforms: resize, crop, scale uint8 to
0..1, normalise. They convert neither BGR nor floats in 0..255.

Symptom: none: a red image becomes (1 - mean) / std in red and -mean / std elsewhere
Needs:   torch, torchvision, PIL, numpy; cpu; about 4 s
Run:     python fix_weights_transforms.py
"""
import json
import sys

import numpy as np
import torch

try:
    from PIL import Image
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)
try:
    from torchvision import transforms
    from torchvision.models import ResNet50_Weights
except ImportError:
    print("SKIPPED torchvision 0.13 or newer is not installed")
    sys.exit(77)

if __name__ == "__main__":
    preprocess = ResNet50_Weights.IMAGENET1K_V2.transforms()  # FIX: what these weights expect
    # No download: the transforms are code, only the weights are a file.

    image = Image.new("RGB", (300, 260), (255, 0, 0))
    tensor = torch.from_numpy(np.array(image)).permute(2, 0, 1)  # uint8, channels first
    seen = [preprocess(x)[:, 112, 112] for x in (image, tensor)]

    mine = transforms.Compose([
        transforms.Resize(232), transforms.CenterCrop(224), transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
    assert torch.allclose(mine(image), preprocess(image), atol=1e-3), "not what they expect"

    red = torch.tensor([1.0, 0.0, 0.0])
    mean, std = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    pixel = [[round(v, 2) for v in x.tolist()] for x in seen]
    right = [torch.allclose(x, (red - mean) / std, atol=1e-3) for x in seen]
    healthy = right == [True, True]
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_input_and_channel": pixel}))
    sys.exit(0 if healthy else 1)
