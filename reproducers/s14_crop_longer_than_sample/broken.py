"""S14: RandomCrop(24) meets an image that is 20 pixels high.

The crop fits most images. The first smaller one stops the epoch, hours later or in a worker.

Symptom: ValueError: Required crop size (24, 24) is larger than input image size (20, 30)
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
    crop = transforms.RandomCrop(crop_size)  # BUG: one image is only 20 pixels high
    loader = DataLoader([crop(image) for image in images], batch_size=3)
    shapes = [list(batch.shape) for batch in loader]

    healthy = shapes == [[3, 3, 24, 24]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(shapes)}))
    sys.exit(0 if healthy else 1)
