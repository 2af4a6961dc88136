"""S14: a mask is padded with 255, which the loss ignores.

fill is the value of the padding, ignore_index the value that the loss leaves out.

Symptom: none: a loss near 0 for a right prediction
Needs:   torch, torchvision; cpu; about 3 s
Run:     python fix_pad_mask.py
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
    crop = transforms.RandomCrop(24, pad_if_needed=True, fill=255)  # FIX
    target = crop(mask).long()
    logits = torch.zeros(1, 2, 24, 24)
    logits[:, 1] = 9  # predicts class 1 everywhere, which is right
    loss = torch.nn.functional.cross_entropy(logits, target, ignore_index=255).item()

    healthy = loss < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss, 3),
                                  "pixels_of_class_0": int((target == 0).sum())}))
    sys.exit(0 if healthy else 1)
