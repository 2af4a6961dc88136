"""DP33: Python's random is seeded twice, and image and mask are still flipped differently.

An old recipe: the same seed before each of the two calls. Since version 0.8 torchvision draws from
torch's generator, which random.seed() does not touch.

Symptom: no error: 28 of 64 pairs differ
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
        self.flip = transforms.RandomHorizontalFlip()

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, mask = self.images[index], self.masks[index]
        seed = random.randrange(2**32)
        random.seed(seed)  # BUG: torchvision does not draw from this generator
        image = self.flip(image)
        random.seed(seed)  # BUG: the same
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
