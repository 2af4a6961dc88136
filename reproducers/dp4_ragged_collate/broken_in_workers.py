"""DP4: in a worker, samples of different size raise a different message.

In a worker, the default collate function first reserves shared memory for as many numbers as the
samples have together, and then shapes it like the first sample. If the first is larger than the
average, that step fails before torch.stack can compare the sizes.

Symptom: RuntimeError: Trying to resize storage that is not resizable (torch 1.11 and newer)
Needs:   torch; cpu; about 3 s
Run:     python broken_in_workers.py; python fix_pad_images.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

widths = [9, 8]


class Pictures(Dataset):
    def __len__(self):
        return len(widths)

    def __getitem__(self, index):
        return torch.ones(3, 8, widths[index])


if __name__ == "__main__":
    # BUG: the default collate only stacks. In a worker it first makes room for the whole batch in
    # shared memory, sized by the sum of the samples, then shapes it like the first sample.
    loader = DataLoader(Pictures(), batch_size=2, num_workers=1)

    shapes = [list(images.shape) for images in loader]

    healthy = shapes == [[2, 3, 8, 9]]
    print("OBSERVED", json.dumps({"healthy": healthy, "shapes": shapes}))
    sys.exit(0 if healthy else 1)
