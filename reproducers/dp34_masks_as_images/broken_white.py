"""DP34: a mask with 0 and 255, and a loss with ignore_index=255: the object is ignored.

255 is white in a binary mask, and "ignore" in many data sets. A model that never finds the object
has a loss of 0.

Symptom: no error: the loss of a model that finds nothing is 0.0
Needs:   torch, PIL, numpy; cpu; about 2 s
Run:     python broken_white.py; python fix_white.py
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
    return torch.from_numpy(np.array(mask)).long()  # BUG: 255 is the number for "ignore"


if __name__ == "__main__":
    target = load_mask(Image.fromarray(drawn))
    logits = torch.tensor([5.0, -5.0]).view(1, 2, 1, 1).expand(1, 2, 32, 32)  # no object at all
    loss = torch.nn.functional.cross_entropy(logits, target[None], ignore_index=255).item()
    healthy = loss > 1
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_of_a_model_without_object":
                                  round(loss, 2)}))
    sys.exit(0 if healthy else 1)
