"""DP4: Resize with two numbers gives every image the same shape.

torch.stack accepts equal shapes only. Resize with two numbers sets height and width; with one
number it sets the shorter side and keeps the aspect ratio.

Symptom: none: one batch of shape [2, 3, 4, 4]
Needs:   torch, torchvision; cpu; about 5 s
Run:     python trap_resize_number.py; python fix_resize_pair.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

try:
    from torchvision import transforms
except ImportError:
    print("SKIPPED torchvision is not installed")
    sys.exit(77)

sizes = [(6, 9), (8, 8)]
resize = transforms.Resize((4, 4))  # FIX: two numbers set both sides


class Pictures(Dataset):
    def __len__(self):
        return len(sizes)

    def __getitem__(self, index):
        height, width = sizes[index]
        return resize(torch.ones(3, height, width))


if __name__ == "__main__":
    loader = DataLoader(Pictures(), batch_size=2)

    images = next(iter(loader))

    healthy = list(images.shape) == [2, 3, 4, 4]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(images.shape)}))
    sys.exit(0 if healthy else 1)
