"""DP31: a file that is not an image: an HTML page, or an empty file, with the name of a JPEG.

A server that answers with an error page, or a full disk, leaves files that only look like images.
Pillow looks at the content, not at the name.

Symptom: UnidentifiedImageError: Caught UnidentifiedImageError ... cannot identify image file
Needs:   torch, numpy, PIL; cpu, linux; about 4 s
Run:     python broken_not_an_image.py
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
    """JPEG files, one of which is the error page of a server."""
    files = [os.path.join(folder, "%02d.jpg" % number) for number in range(num_images)]
    for path in files:
        noise = np.random.RandomState(0).randint(0, 100, (64, 64, 3), dtype=np.uint8)
        Image.fromarray(noise).save(path)
    with open(files[damaged], "w") as page:
        page.write("<html>404 Not Found</html>")
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
