"""DP4: samples of different sizes stop the DataLoader: stack expects each tensor to be equal size.

The default collate function joins the samples of a batch with torch.stack, which takes equal
shapes only: it does not pad, crop or wrap. A batch of equal samples passes, so the error waits
until two different ones meet, which under shuffle can be any step.

Symptom: pictures 9 and 8 wide; with a worker, torch 1.13 and later: Trying to resize storage ...
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
