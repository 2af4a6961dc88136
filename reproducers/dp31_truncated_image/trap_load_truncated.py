"""DP31: LOAD_TRUNCATED_IMAGES fills the missing part of the image with grey.

Pillow then returns what it could decode. The rest has a constant value, and the model learns it
with the label of the image.

Symptom: a third or more of the rows of image 7 have one colour
Needs:   torch, numpy, PIL; cpu, linux; about 4 s
Run:     python trap_load_truncated.py
"""
import json
import os
import sys
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

try:
    from PIL import Image, ImageFile
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
        ImageFile.LOAD_TRUNCATED_IMAGES = True  # BUG: returns half an image
        loader = DataLoader(Photos(files), batch_size=batch_size, num_workers=1,
                            multiprocessing_context="fork")
        images = torch.cat([images for batch, images in loader]).float()
    empty_rows = (images.std(dim=(2, 3)) < 1).float().mean(dim=1).tolist()  # of each image
    worst = empty_rows.index(max(empty_rows))

    healthy = max(empty_rows) < 0.1 and len(images) == num_images
    print("OBSERVED", json.dumps({"healthy": healthy, "images_seen": len(images), "worst": worst,
                                  "share_of_empty_rows": round(empty_rows[worst], 2)}))
    sys.exit(0 if healthy else 1)
