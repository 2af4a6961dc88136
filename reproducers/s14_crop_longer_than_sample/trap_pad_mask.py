"""S14: a mask is padded with 0, and 0 is a class.

The loss counts the padding as pixels of class 0. A model that is right everywhere gets a high loss.

Symptom: no error: a loss of 1.5 for a right prediction
Needs:   torch, torchvision; cpu; about 3 s
Run:     python trap_pad_mask.py
"""
import json
import sys

import torch

try:
    from torchvision import transforms
except ImportError:
    print("SKIPPED torchvision is not installed")
    sys.exit(77)


if __name__ == "__main__":
    torch.manual_seed(0)
    mask = torch.ones(1, 20, 30, dtype=torch.uint8)  # class 1 everywhere; class 0 is another class
    crop = transforms.RandomCrop(24, pad_if_needed=True)  # BUG: the padding is class 0
    target = crop(mask).long()
    logits = torch.zeros(1, 2, 24, 24)
    logits[:, 1] = 9  # predicts class 1 everywhere, which is right
    loss = torch.nn.functional.cross_entropy(logits, target, ignore_index=255).item()

    healthy = loss < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss, 3),
                                  "pixels_of_class_0": int((target == 0).sum())}))
    sys.exit(0 if healthy else 1)
