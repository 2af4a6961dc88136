"""DP34: white becomes class 1.

A model that never finds the object has a high loss.

Symptom: none: the loss of a model that finds nothing is 5.63
Needs:   torch, PIL, numpy; cpu; about 2 s
Run:     python fix_white.py
"""
import json
import sys

import numpy as np
import torch

try:
    from PIL import Image
except ImportError:
    print("SKIPPED PIL is not installed")
    sys.exit(77)

drawn = np.zeros((32, 32), dtype=np.uint8)
drawn[4:28, 4:28] = 255  # white is the object


def load_mask(mask):
    return torch.from_numpy(np.array(mask) > 127).long()  # FIX: white is class 1


if __name__ == "__main__":
    target = load_mask(Image.fromarray(drawn))
    logits = torch.tensor([5.0, -5.0]).view(1, 2, 1, 1).expand(1, 2, 32, 32)  # no object at all
    loss = torch.nn.functional.cross_entropy(logits, target[None], ignore_index=255).item()
    healthy = loss > 1
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_of_a_model_without_object":
                                  round(loss, 2)}))
    sys.exit(0 if healthy else 1)
