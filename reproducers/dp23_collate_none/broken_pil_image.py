"""DP23: the default collate function meets None, or an object that it does not know.

default_collate looks at the first sample of a batch and decides from its type what to do:
stack, go through keys, or go through positions. None, a PIL image, a set or an object of one's
own is none of what it knows, and it raises. Where only a later sample is None, the text differs.

Symptom: samples are PIL images, and default_collate does not know them
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
        return Image.new("RGB", (8, 8)), index  # BUG: no transform has made a tensor of it


if __name__ == "__main__":
    shapes = [list(images.shape) for images, labels in DataLoader(Photos(), batch_size=2)]

    healthy = shapes == [[2, 3, 8, 8]] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "shapes": shapes}))
    sys.exit(0 if healthy else 1)
