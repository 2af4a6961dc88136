"""S14: RandomCrop(24) pads an image that is smaller.

pad_if_needed=True adds zeros at the edges of images that are too small, and changes no other image.

Symptom: none: one batch of three images
Needs:   torch, torchvision; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader

try:
    from torchvision import transforms
except ImportError:
    print("SKIPPED torchvision is not installed")
    sys.exit(77)

crop_size = 24


if __name__ == "__main__":
    torch.manual_seed(0)
    images = [torch.rand(3, 40, 40), torch.rand(3, 32, 48), torch.rand(3, 20, 30)]
    crop = transforms.RandomCrop(crop_size, pad_if_needed=True)  # FIX: zeros at the edges
    loader = DataLoader([crop(image) for image in images], batch_size=3)
    shapes = [list(batch.shape) for batch in loader]

    healthy = shapes == [[3, 3, 24, 24]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(shapes)}))
    sys.exit(0 if healthy else 1)
