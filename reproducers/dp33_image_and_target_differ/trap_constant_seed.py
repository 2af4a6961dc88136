"""DP33: torch.manual_seed(0) before each call makes both equal, and all samples alike.

Image and mask get the same crop. So does every other sample in every epoch, and the augmentation is
gone.

Symptom: no error: one crop for all 64 samples
Needs:   torch, torchvision; cpu; about 3 s
Run:     python trap_constant_seed.py
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
        self.crop = transforms.RandomCrop(4)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, mask = self.images[index], self.masks[index]
        torch.manual_seed(0)  # BUG: one crop for all samples
        image = self.crop(image)
        torch.manual_seed(0)
        return image, self.crop(mask)


if __name__ == "__main__":
    torch.manual_seed(0)
    scans = torch.arange(64 * 36.0).view(64, 1, 6, 6)
    dataset = Scans(scans, scans.clone())  # each mask is equal to its image
    pairs = [dataset[index] for index in range(len(dataset))]
    differ = sum(not torch.equal(image, mask) for image, mask in pairs)
    crops = len({int(image[0, 0, 0] - scan[0, 0, 0]) for (image, mask), scan in zip(pairs, scans)})

    healthy = differ == 0 and crops > 1
    print("OBSERVED", json.dumps({"healthy": healthy, "pairs": len(pairs),
                                  "pairs_that_differ": differ, "crops": crops}))
    sys.exit(0 if healthy else 1)
