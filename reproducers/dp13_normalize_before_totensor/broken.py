"""DP13: Normalize raises at the first sample because it comes before ToTensor.

Compose runs its steps from top to bottom and checks nothing when it is built. A Normalize before
the conversion gets the PIL image itself, and it accepts float tensors only.

Symptom: TypeError at the first sample; building the dataset worked
Needs:   torch, torchvision, PIL; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

from torch.utils.data import Dataset

try:
    from PIL import Image
    from torchvision import transforms as T
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)

mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

transform = T.Compose([
    T.Normalize(mean, std),
    T.ToTensor(),  # BUG: too late, Normalize already got the PIL image
])


class Images(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __getitem__(self, i):
        return self.transform(Image.new("RGB", (32, 32), (255, 255, 255)))


if __name__ == "__main__":
    images = Images(transform)
    pixel = [round(value, 2) for value in images[0][:, 0, 0].tolist()]

    healthy = pixel == [2.25, 2.43, 2.64]  # (1 - mean) / std
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_channel": pixel}))
    sys.exit(0 if healthy else 1)
