"""DP31: a PNG file with the right length and four wrong bytes.

The decoder notices it in the middle of the data. A disk, a copy or a network drive did it.

Symptom: OSError: Caught OSError in DataLoader worker process 0 ... broken data stream when reading
Needs:   torch, numpy, PIL; cpu, linux; about 4 s
Run:     python broken_damaged_png.py
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


def write_photos(folder):
    """PNG files, one of which has four wrong bytes in its middle."""
    files = [os.path.join(folder, "%02d.png" % number) for number in range(num_images)]
    for path in files:
        noise = np.random.RandomState(0).randint(0, 100, (64, 64, 3), dtype=np.uint8)
        Image.fromarray(noise).save(path)
    with open(files[damaged], "r+b") as file:
        file.seek(os.path.getsize(files[damaged]) // 2)
        file.write(b"\xff\xff\xff\xff")
    return files


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        files = write_photos(folder)
        loader = DataLoader(Photos(files), batch_size=batch_size, num_workers=1,  # BUG: unchecked
                            multiprocessing_context="fork")
        numbers = [number for batch, images in loader for number in batch.tolist()]

    healthy = numbers == [number for number in range(num_images) if number != damaged]
    print("OBSERVED", json.dumps({"healthy": healthy, "images_seen": len(numbers)}))
    sys.exit(0 if healthy else 1)
