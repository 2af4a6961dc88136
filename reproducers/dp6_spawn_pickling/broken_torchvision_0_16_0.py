"""DP6: a DataLoader worker is a new process: it gets what can be pickled, and nothing else.

Under spawn and forkserver a worker imports the script again and receives dataset, collate_fn and
worker_init_fn as a pickle. A function or class that lives inside another function cannot be
pickled, and what main() set on a module or a class is not part of the pickle.

Symptom: torchvision 0.16.0: images are resized in the main process, and not in spawned workers
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
