"""DP31: a dataset that returns the next sample for a bad one counts that sample twice.

The epoch ends without an error, and nothing tells you that a file is damaged. The file after it is
seen twice in each epoch.

Symptom: image 8 is seen twice
Needs:   torch, numpy, PIL; cpu, linux; about 4 s
Run:     python trap_next_sample.py
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
        try:
            image = Image.open(self.files[index]).convert("RGB")
        except OSError:
            return self[index + 1]  # BUG: a sample of another file, silently
        return int(os.path.basename(self.files[index])[:2]), torch.tensor(np.array(image))


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
        loader = DataLoader(Photos(files), batch_size=batch_size, num_workers=1,
                            multiprocessing_context="fork")
        numbers = [number for batch, images in loader for number in batch.tolist()]
    twice = [number for number in range(num_images) if numbers.count(number) > 1]

    healthy = numbers == [number for number in range(num_images) if number != damaged]
    print("OBSERVED", json.dumps({"healthy": healthy, "images_seen": len(numbers),
                                  "seen_twice": twice}))
    sys.exit(0 if healthy else 1)
