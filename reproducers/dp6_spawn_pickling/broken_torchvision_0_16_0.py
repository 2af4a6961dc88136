"""DP6: torchvision 0.16.0 loses a wrapped dataset's transform under spawn.

The pickle of a dataset wrapped with wrap_dataset_for_transforms_v2 lacked its transforms in
torchvision 0.16.0, so a spawned worker returned samples without them.

Symptom: the width is 8 in the worker and 4 in the main process
Needs:   torch, torchvision; cpu; about 9 s
Run:     python broken_torchvision_0_16_0.py
"""
import json
import os
import sys
import tempfile

from torch.utils.data import DataLoader

try:
    import torchvision
except ImportError:
    print("SKIPPED torchvision is not installed")
    sys.exit(77)
if tuple(int(part) for part in torchvision.__version__.split(".")[:2]) < (0, 16):
    print("SKIPPED torchvision 0.16.0 or newer is needed")
    sys.exit(77)

from PIL import Image
from torchvision import datasets, transforms


def as_it_is(samples):
    return samples


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "cat"))
        Image.new("RGB", (8, 8)).save(os.path.join(folder, "cat", "0.png"))

        photos = datasets.ImageFolder(folder, transform=transforms.Resize(4))
        photos = datasets.wrap_dataset_for_transforms_v2(photos)  # BUG: 0.16.0 pickles no transform
        loader = DataLoader(photos, collate_fn=as_it_is, num_workers=1,
                            multiprocessing_context="spawn")
        width_here = photos[0][0].width
        width_in_worker = next(iter(loader))[0][0].width

    healthy = width_in_worker == width_here
    print("OBSERVED", json.dumps({"healthy": healthy, "torchvision": torchvision.__version__,
                                  "width_here": width_here, "width_in_worker": width_in_worker}))
    sys.exit(0 if healthy else 1)
