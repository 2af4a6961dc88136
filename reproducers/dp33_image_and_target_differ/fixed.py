"""DP33: one draw decides for image and mask.

The functional form of a transform draws nothing. The dataset draws once, and gives both the same.

Symptom: none: all 64 pairs are equal
Needs:   torch, torchvision; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import random
import sys

import torch
from torch.utils.data import Dataset

try:
    from torchvision import transforms
except ImportError:
    print("SKIPPED torchvision is not installed")
    sys.exit(77)


class Scans(Dataset):
    def __init__(self, images, masks):
        self.images, self.masks = images, masks
        self.flip = transforms.functional.hflip  # FIX: the form that draws nothing

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, mask = self.images[index], self.masks[index]
        if random.random() < 0.5:  # FIX: one draw for both
            image = self.flip(image)
            mask = self.flip(mask)
        return image, mask


if __name__ == "__main__":
    torch.manual_seed(0)
    random.seed(0)
    scans = torch.arange(64 * 36.0).view(64, 1, 6, 6)
    dataset = Scans(scans, scans.clone())  # each mask is equal to its image
    pairs = [dataset[index] for index in range(len(dataset))]
    differ = sum(not torch.equal(image, mask) for image, mask in pairs)
    changed = sum(not torch.equal(image, scan) for (image, mask), scan in zip(pairs, scans))

    healthy = differ == 0 and 0 < changed < len(pairs)
    print("OBSERVED", json.dumps({"healthy": healthy, "pairs": len(pairs),
                                  "pairs_that_differ": differ}))
    sys.exit(0 if healthy else 1)
