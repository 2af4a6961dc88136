"""O35: a normalisation that does not divide by 0.

The range of an image of one colour is 0. clamp() makes it a small number, and the image becomes 0.

Symptom: none: 3 of 3 images are finite
Needs:   torch; cpu; about 2 s
Run:     python broken_constant_image.py; python fix_constant_image.py
"""
import json
import sys

import torch


def normalise(image):
    low, high = image.min(), image.max()
    return (image - low) / (high - low).clamp(min=1e-6)  # FIX: never 0 / 0


if __name__ == "__main__":
    images = [torch.rand(3, 4, 4), torch.zeros(3, 4, 4), torch.rand(3, 4, 4)]
    scaled = [normalise(image) for image in images]

    finite = [bool(torch.isfinite(image).all()) for image in scaled]
    highest = [round(image.max().item(), 3) for image in scaled]
    healthy = finite == [True] * 3 and highest == [1.0, 0.0, 1.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "finite_by_image": finite}))
    sys.exit(0 if healthy else 1)
