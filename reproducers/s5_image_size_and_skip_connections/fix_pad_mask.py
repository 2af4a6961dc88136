"""S5: image and mask are padded in the dataset, and the padding of the mask is not counted.

The mask is padded with -100, which cross_entropy leaves out. The loss is the same as that of the
cropped output.

Symptom: none: the two losses are equal
Needs:   torch; cpu; about 2 s
Run:     python fix_pad_mask.py
"""
import json
import sys

import torch
from torch import nn
from torch.nn import functional as F

height, width, multiple = 50, 46, 8


if __name__ == "__main__":
    torch.manual_seed(0)
    image, mask = torch.rand(3, height, width), torch.randint(0, 4, (height, width))
    margins = (0, -width % multiple, 0, -height % multiple)
    padded_image = F.pad(image, margins)
    padded_mask = F.pad(mask, margins, value=-100)  # FIX: not 0, which is a class
    logits = nn.Conv2d(3, 4, 3, padding=1)(padded_image[None])
    loss = F.cross_entropy(logits, padded_mask[None])

    cropped = F.cross_entropy(logits[..., :height, :width], mask[None])
    size = list(padded_mask.shape)
    healthy = size == [56, 48] and abs(loss.item() - cropped.item()) < 1e-5 and loss.item() > 1
    print("OBSERVED", json.dumps({"healthy": healthy, "size": size, "loss": round(loss.item(), 4),
                                  "loss_of_the_crop": round(cropped.item(), 4)}))
    sys.exit(0 if healthy else 1)
