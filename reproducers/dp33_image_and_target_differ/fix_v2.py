"""DP33: a v2 transform gets the mask as a Mask.

One call draws once, for all inputs that it knows by their class: Image, Mask, BoundingBoxes.

Symptom: none: all 64 pairs are equal
Needs:   torch, torchvision; cpu; about 3 s
Run:     python fix_v2.py
"""
import json
import sys

import torch
from torch.utils.data import Dataset

try:
    from torchvision import tv_tensors
    from torchvision.transforms import v2
except ImportError:
    print("SKIPPED torchvision 0.16 or newer is not installed")
    sys.exit(77)


class Scans(Dataset):
    def __init__(self, images, masks):
        self.images, self.masks = images, masks
        self.flip = v2.RandomHorizontalFlip()

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, mask = self.images[index], self.masks[index]
        return self.flip(image, tv_tensors.Mask(mask))  # FIX: known as a mask by its class


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
