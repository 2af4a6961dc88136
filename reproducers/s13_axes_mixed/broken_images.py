"""S13: images with their channels last are reshaped to channels first.

OpenCV, PIL and matplotlib give (height, width, 3). reshape() gives the shape that the convolution
wants, and takes a third of the rows for a colour.

Symptom: no error: an accuracy near that of guessing among 3 classes
Needs:   torch, numpy; cpu; about 4 s
Run:     python broken_images.py; python fix_images.py
"""
import json
import sys

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

torch.set_num_threads(1)


def to_tensor(images):
    pixels = torch.from_numpy(images).float() / 255
    return pixels.reshape(-1, 3, 16, 16)  # BUG: the images have their channels last


def make_samples(count):
    labels = np.random.randint(3, size=count)
    images = np.random.randint(0, 128, (count, 16, 16, 3)).astype(np.uint8)
    images[np.arange(count), :, :, labels] *= 2  # the colour of the class is brighter
    return images, torch.from_numpy(labels)


if __name__ == "__main__":
    torch.manual_seed(0)
    np.random.seed(0)
    model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(16, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(150):
        images, labels = make_samples(64)
        optimizer.zero_grad()
        cross_entropy(model(to_tensor(images)), labels).backward()
        optimizer.step()

    images, labels = make_samples(1000)
    accuracy = (model(to_tensor(images)).argmax(1) == labels).float().mean().item()
    planes = to_tensor(images).numpy() * 255
    red_kept = bool(np.allclose(planes[:, 0], images[:, :, :, 0], atol=1e-3))
    healthy = accuracy > 0.8 and red_kept
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2),
                                  "red_is_plane_0": red_kept}))
    sys.exit(0 if healthy else 1)
