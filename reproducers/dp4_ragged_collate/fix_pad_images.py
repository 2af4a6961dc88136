"""DP4: height and width padded to the largest of the batch, with a mask.

A collate function of your own receives the list of samples. It can pad them to the largest of the
batch and return a mask, which is True for the real values.

Symptom: none: one batch of shape [3, 3, 8, 9], and the mask counts every real pixel
Needs:   torch; cpu; about 3 s
Run:     python fix_pad_images.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

sizes = [(6, 9), (8, 8), (7, 5)]


class Pictures(Dataset):
    def __len__(self):
        return len(sizes)

    def __getitem__(self, index):
        height, width = sizes[index]
        return torch.ones(3, height, width)


def pad_images(images):  # FIX: pad height and width to the largest of the batch
    height = max(image.shape[1] for image in images)
    width = max(image.shape[2] for image in images)
    batch = images[0].new_zeros(len(images), images[0].shape[0], height, width)
    mask = torch.zeros(len(images), height, width, dtype=torch.bool)  # True where a pixel is real
    for i, image in enumerate(images):
        batch[i, :, : image.shape[1], : image.shape[2]] = image
        mask[i, : image.shape[1], : image.shape[2]] = True
    return batch, mask


if __name__ == "__main__":
    loader = DataLoader(Pictures(), batch_size=3, num_workers=1, collate_fn=pad_images)

    images, mask = next(iter(loader))
    real_pixels = mask.sum(dim=(1, 2)).tolist()
    sums = images[:, 0].sum(dim=(1, 2)).tolist()

    pixels = [height * width for height, width in sizes]
    healthy = list(images.shape) == [3, 3, 8, 9] and real_pixels == pixels and sums == pixels
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(images.shape),
                                  "real_pixels": real_pixels}))
    sys.exit(0 if healthy else 1)
