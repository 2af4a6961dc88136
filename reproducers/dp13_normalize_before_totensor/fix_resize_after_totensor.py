"""DP13: from torchvision 0.17 on, resizing, cropping, flipping and jitter may follow ToTensor.

These transforms accept tensors as well as PIL images. Before torchvision 0.17 Resize did not
antialias tensors by default, so it gave different pixels than on a PIL image.

Symptom: none from 0.17 on; before it the pixels differ by 1.4 after Normalize
Needs:   torch, torchvision, PIL, numpy; cpu; about 4 s
Run:     python fix_resize_after_totensor.py; python broken.py
"""
import json
import sys

import numpy as np

try:
    from PIL import Image
    from torchvision import transforms as T
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)

mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
augment = [
    T.Resize(32),
    T.CenterCrop(24),
    T.RandomHorizontalFlip(p=1.0),
    T.ColorJitter(brightness=(0.8, 0.8)),
]
on_image = T.Compose(augment + [T.ToTensor(), T.Normalize(mean, std)])
on_tensor = T.Compose([T.ToTensor()] + augment + [T.Normalize(mean, std)])  # FIX: Normalize last

if __name__ == "__main__":
    noise = np.random.RandomState(0).randint(0, 256, (128, 128, 3), dtype=np.uint8)
    image = Image.fromarray(noise)  # fine detail, where a resize without antialiasing shows
    difference = round((on_image(image) - on_tensor(image)).abs().max().item(), 2)

    healthy = difference < 0.1  # in units of the normalised pixels, which span about 4.6
    print("OBSERVED", json.dumps({"healthy": healthy, "largest_difference": difference}))
    sys.exit(0 if healthy else 1)
