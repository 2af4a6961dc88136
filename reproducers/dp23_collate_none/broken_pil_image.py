"""DP23: default_collate refuses PIL images.

It has a rule for tensors and arrays, not for images. The transform of the dataset lacks ToTensor.

Symptom: TypeError: default_collate: batch must contain tensors, ...; found PIL.Image.Image
Needs:   torch, PIL; cpu; about 2 s
Run:     python broken_pil_image.py; python fixed.py
"""
import json
import sys

from torch.utils.data import DataLoader, Dataset

try:
    from PIL import Image
except ImportError:
    print("SKIPPED PIL is not installed")
    sys.exit(77)


class Photos(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return Image.new("RGB", (8, 8)), index  # BUG: no transform makes a tensor of it


if __name__ == "__main__":
    shapes = [list(images.shape) for images, labels in DataLoader(Photos(), batch_size=2)]

    healthy = shapes == [[2, 3, 8, 8]] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "shapes": shapes}))
    sys.exit(0 if healthy else 1)
