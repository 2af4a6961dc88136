"""DP33: additional_targets says that a second key also holds an image.

Symptom: none: all 64 pairs are equal
Needs:   torch, albumentations; cpu; about 3 s
Run:     python fix_albumentations.py
"""
import json
import sys

import torch
from torch.utils.data import Dataset

try:
    import albumentations
except ImportError:
    print("SKIPPED albumentations is not installed")
    sys.exit(77)


class Scans(Dataset):
    def __init__(self, images, masks):
        self.images, self.masks = images, masks
        self.flip = albumentations.Compose([albumentations.HorizontalFlip(p=0.5)],
                                           additional_targets={"depth": "image"})  # FIX

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, mask = self.images[index], self.masks[index]
        both = self.flip(image=image[0].numpy(), depth=mask[0].numpy())
        return torch.from_numpy(both["image"])[None], torch.from_numpy(both["depth"])[None]


if __name__ == "__main__":
    torch.manual_seed(0)
    scans = torch.arange(64 * 36.0).view(64, 1, 6, 6)
    dataset = Scans(scans, scans.clone())  # each mask is equal to its image
    pairs = [dataset[index] for index in range(len(dataset))]
    differ = sum(not torch.equal(image, mask) for image, mask in pairs)
    changed = sum(not torch.equal(image, scan) for (image, mask), scan in zip(pairs, scans))

    healthy = differ == 0 and 0 < changed < len(pairs)
    print("OBSERVED", json.dumps({"healthy": healthy, "pairs": len(pairs),
                                  "pairs_that_differ": differ}))
    sys.exit(0 if healthy else 1)
