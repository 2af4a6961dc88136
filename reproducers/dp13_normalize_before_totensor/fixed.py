"""DP13: after ToTensor, Normalize gives (1 - mean) / std for a white pixel.

Compose runs its steps from top to bottom. ToTensor makes a float tensor in 0..1, which is what
Normalize needs.

Symptom: none: a white pixel is (1 - mean) / std in every channel
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
    T.ToTensor(),  # FIX: first, so that Normalize gets a float tensor
    T.Normalize(mean, std),
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
