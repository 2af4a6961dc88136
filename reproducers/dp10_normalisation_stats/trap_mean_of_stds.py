"""DP10: the average of the images' stds is not the std of the data.

The std over all pixels contains how much images differ from each other. The std within one image
does not, so the average over the images is smaller.

Symptom: 0.03 instead of 0.12
Needs:   torch; cpu; about 3 s
Run:     python trap_mean_of_stds.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


def channel_statistics(loader):
    """Mean and standard deviation of each channel over all pixels of all images."""
    count, total, squares = 0, 0, 0
    for images, _ in loader:
        pixels = images.double().transpose(0, 1).flatten(1)  # one row for each channel
        count += pixels.shape[1]
        total = total + pixels.sum(dim=1)
        squares = squares + pixels.pow(2).sum(dim=1)
    mean = total / count
    std = (squares / count - mean**2).sqrt()
    return mean.float().view(3, 1, 1), std.float().view(3, 1, 1)


def photos(n, share_of_day):
    """Night (0) and day (1): they differ in brightness only."""
    day = (torch.rand(n) < share_of_day).long()
    brightness = 0.4 + 0.2 * day.float() + 0.06 * torch.randn(n)
    images = brightness.view(n, 1, 1, 1) + 0.03 * torch.randn(n, 3, 8, 8)
    return TensorDataset(images, day)


if __name__ == "__main__":
    train_set = photos(1000, share_of_day=0.5)
    loader = DataLoader(train_set, batch_size=100)

    mean, std = channel_statistics(loader)
    averaged = [images.std(dim=(2, 3)).mean(dim=0) for images, _ in loader]  # BUG: one image each
    mean_of_stds = torch.stack(averaged).mean(dim=0)

    over_all = [round(value, 3) for value in std.flatten().tolist()]
    of_images = [round(value, 3) for value in mean_of_stds.tolist()]
    healthy = torch.allclose(std.flatten(), mean_of_stds, rtol=0.05)
    print("OBSERVED", json.dumps({"healthy": healthy, "std_over_all_pixels": over_all,
                                  "mean_of_the_images_stds": of_images}))
    sys.exit(0 if healthy else 1)
