"""DP31: every file is decoded once before training, and the damaged one is named and left out.

Decoding is the only complete test of an image file. The list of good files can be saved for later
runs.

Symptom: none: 11 images, and the path of the damaged one on stderr
Needs:   torch, numpy, PIL; cpu, linux; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

try:
    from PIL import Image
except ImportError:
    print("SKIPPED Pillow is not installed")
    sys.exit(77)

num_images, damaged, batch_size = 12, 7, 4


class Photos(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        image = Image.open(self.files[index]).convert("RGB")
        return int(os.path.basename(self.files[index])[:2]), torch.tensor(np.array(image))


def is_readable(path):
    try:
        Image.open(path).convert("RGB")  # FIX: decode all pixels, as training will
        return True
    except Exception as error:
        print(f"{path}: {error!r}", file=sys.stderr)
        return False


def write_photos(folder):
    """JPEG files, one of which is cut in the middle, as an interrupted download leaves it."""
    files = [os.path.join(folder, "%02d.jpg" % number) for number in range(num_images)]
    for path in files:
        noise = np.random.RandomState(0).randint(0, 100, (64, 64, 3), dtype=np.uint8)
        Image.fromarray(noise).save(path)
    os.truncate(files[damaged], os.path.getsize(files[damaged]) // 2)
    return files


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        files = write_photos(folder)
        files = [path for path in files if is_readable(path)]  # FIX: once, before training
        loader = DataLoader(Photos(files), batch_size=batch_size, num_workers=1,
                            multiprocessing_context="fork")
        numbers = [number for batch, images in loader for number in batch.tolist()]

    healthy = numbers == [number for number in range(num_images) if number != damaged]
    print("OBSERVED", json.dumps({"healthy": healthy, "images_seen": len(numbers)}))
    sys.exit(0 if healthy else 1)
