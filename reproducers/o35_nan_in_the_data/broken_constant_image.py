"""O35: the dataset is clean, and the normalisation makes the nan.

(x - min) / (max - min) divides 0 by 0 for an image of one colour.

Symptom: 1 of 3 images is nan
Needs:   torch; cpu; about 2 s
Run:     python broken_constant_image.py; python fix_constant_image.py
"""
import json
import sys

import torch


def normalise(image):
    low, high = image.min(), image.max()
    return (image - low) / (high - low)  # BUG: 0 / 0 for a black image


if __name__ == "__main__":
    images = [torch.rand(3, 4, 4), torch.zeros(3, 4, 4), torch.rand(3, 4, 4)]
    scaled = [normalise(image) for image in images]

    finite = [bool(torch.isfinite(image).all()) for image in scaled]
    highest = [round(image.max().item(), 3) for image in scaled]
    healthy = finite == [True] * 3 and highest == [1.0, 0.0, 1.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "finite_by_image": finite}))
    sys.exit(0 if healthy else 1)
