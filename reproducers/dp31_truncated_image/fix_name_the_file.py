"""DP31: the error names the file, also when a worker raises it.

An exception that is raised again with the path in its message arrives in the main process with it.

Symptom: none: the message contains 07.jpg
Needs:   torch, numpy, PIL; cpu, linux; about 4 s
Run:     python fix_name_the_file.py
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
        except Exception as error:
            raise RuntimeError(f"{self.files[index]}: {error!r}") from error  # FIX: the path
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
        batches, message = 0, ""
        try:
            for batch, images in loader:
                batches += 1
        except RuntimeError as error:
            message = str(error)

    healthy = batches == 1 and files[damaged] + ": OSError" in message
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": batches,
                                  "names_the_file": files[damaged] in message}))
    sys.exit(0 if healthy else 1)
