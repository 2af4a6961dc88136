"""DP33: the crop is drawn once, and both are cut with it.

get_params() draws top, left, height and width. crop() draws nothing.

Symptom: none: all 64 pairs show the same part of the scan
Needs:   torch, torchvision; cpu; about 3 s
Run:     python fix_get_params.py
"""
import json
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

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, mask = self.images[index], self.masks[index]
        place = transforms.RandomCrop.get_params(image, (4, 4))  # FIX: one draw for both
        crop = transforms.functional.crop
        return crop(image, *place), crop(mask, *place)


if __name__ == "__main__":
    torch.manual_seed(0)
    scans = torch.arange(64 * 36.0).view(64, 1, 6, 6)
    dataset = Scans(scans, scans.clone())  # each mask is equal to its image
    pairs = [dataset[index] for index in range(len(dataset))]
    differ = sum(not torch.equal(image, mask) for image, mask in pairs)
    changed = sum(image.shape != scan.shape for (image, mask), scan in zip(pairs, scans))

    healthy = differ == 0 and changed > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "pairs": len(pairs),
                                  "pairs_that_differ": differ}))
    sys.exit(0 if healthy else 1)
