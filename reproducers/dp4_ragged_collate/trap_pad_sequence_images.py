"""DP4: pad_sequence raises on images of different width.

pad_sequence pads the first dimension. All other dimensions must be equal.

Symptom: RuntimeError: The size of tensor a (9) must match the size of tensor b (8)
Needs:   torch; cpu; about 3 s
Run:     python trap_pad_sequence_images.py; python fix_pad_images.py
"""
import json
import sys

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

widths = [9, 8]


class Pictures(Dataset):
    def __len__(self):
        return len(widths)

    def __getitem__(self, index):
        return torch.ones(3, 8, widths[index])


def pad(images):
    return pad_sequence(images, batch_first=True)  # BUG: pads dimension 0; widths are dimension 2


if __name__ == "__main__":
    loader = DataLoader(Pictures(), batch_size=2, collate_fn=pad)

    images = next(iter(loader))

    healthy = list(images.shape) == [2, 3, 8, 9]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(images.shape)}))
    sys.exit(0 if healthy else 1)
