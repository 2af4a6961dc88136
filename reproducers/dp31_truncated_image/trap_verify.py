"""DP31: Image.verify() finds nothing wrong with a JPEG that is cut.

verify() reads no pixels. For JPEG it does not check more than open() does.

Symptom: verify() passes all 12 files, and one of them cannot be decoded
Needs:   torch, numpy, PIL; cpu, linux; about 4 s
Run:     python trap_verify.py
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
        Image.open(path).verify()  # BUG: decodes nothing
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
        files = [path for path in files if is_readable(path)]
        message = ""
        try:
            loader = DataLoader(Photos(files), batch_size=batch_size)
            numbers = [number for batch, images in loader for number in batch.tolist()]
        except OSError as error:
            message = str(error)

    healthy = message == "" and len(files) == num_images - 1
    print("OBSERVED", json.dumps({"healthy": healthy, "files_passed": len(files),
                                  "message": message.split("(")[0]}))
    sys.exit(0 if healthy else 1)
