"""DP13: Normalize stands before the picture has become a float tensor.

Normalize subtracts and divides per channel, on float tensors shaped (..., C, H, W). Compose runs
its steps in the order of the list and checks nothing when it is built, so a Normalize in front of
the conversion meets a picture or an array at the first sample, and refuses it or passes it by.

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


class Pictures(Dataset):
    def __init__(self):
        self.transform = T.Compose([
            T.ToTensor(),
            T.Normalize(mean, std),  # FIX: meets the float tensor
        ])

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return self.transform(Image.new("RGB", (32, 32), (255, 255, 255)))


if __name__ == "__main__":
    pictures = Pictures()
    pixel = [round(value, 2) for value in pictures[0][:, 0, 0].tolist()]

    healthy = pixel == [2.25, 2.43, 2.64]  # (1 - mean) / std
    print("OBSERVED", json.dumps({"healthy": healthy, "pixel_by_channel": pixel}))
    sys.exit(0 if healthy else 1)
