"""DP4: grey, RGBA and palette images converted to RGB have the same shape.

Image files may be grey, RGBA or palette images. As arrays they have 1, 3 or 4 channels, and
torch.stack accepts equal shapes only.

Symptom: none: one batch of shape [4, 3, 8, 9]
Needs:   torch, numpy, PIL; cpu; about 3 s
Run:     python fix_convert_rgb.py
"""
import json
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

try:
    from PIL import Image
except ImportError:
    print("SKIPPED PIL is not installed")
    sys.exit(77)

modes = ["RGB", "L", "RGBA", "P"]


class Photos(Dataset):
    def __len__(self):
        return len(modes)

    def __getitem__(self, index):
        image = Image.new(modes[index], (9, 8))
        image = image.convert("RGB")  # FIX: grey, RGBA and palette images get 3 channels
        return torch.from_numpy(np.array(image)).permute(2, 0, 1)


if __name__ == "__main__":
    loader = DataLoader(Photos(), batch_size=4)

    images = next(iter(loader))

    healthy = list(images.shape) == [4, 3, 8, 9]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(images.shape)}))
    sys.exit(0 if healthy else 1)
