"""DP32: ImageFolder is given the folder whose folders are the classes.

train/ holds one folder for each class: cat/ and dog/.

Symptom: none: two classes, and six samples
Needs:   torch, torchvision, PIL; cpu; about 3 s
Run:     python fix_image_folder.py
"""
import json
import os
import sys
import tempfile

from torch.utils.data import DataLoader

try:
    from PIL import Image
    from torchvision import transforms
    from torchvision.datasets import ImageFolder
except ImportError:
    print("SKIPPED torchvision is not installed")
    sys.exit(77)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as root:
        for name in ("cat", "dog"):
            os.makedirs(os.path.join(root, "train", name))
            for number in range(3):
                Image.new("RGB", (4, 4)).save(os.path.join(root, "train", name, f"{number}.png"))
        folder = os.path.join(root, "train")  # FIX: its folders are the classes
        dataset = ImageFolder(folder, transforms.ToTensor())
        samples_seen = sum(len(labels) for images, labels in DataLoader(dataset, batch_size=2))

    healthy = samples_seen == 6 and dataset.classes == ["cat", "dog"]
    print("OBSERVED", json.dumps({"healthy": healthy, "samples_seen": samples_seen}))
    sys.exit(0 if healthy else 1)
