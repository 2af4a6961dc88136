"""E2: a transform of your own defines _transform, which torchvision 0.21 renamed.

From 0.21 on, v2.Transform calls transform(), and its own only raises. The class itself is created
without an error.

Symptom: NotImplementedError, with `in transform` as the last frame, from torchvision 0.21 on
Needs:   torch, torchvision; cpu; about 4 s
Run:     python broken_transform.py; python fix_transform.py
"""
import json
import sys

import torch

try:
    from torchvision.transforms import v2
except ImportError:
    print("SKIPPED torchvision is not installed, or older than 0.15")
    sys.exit(77)


class Invert(v2.Transform):
    def _transform(self, inpt, params):  # BUG: the name until 0.20
        return 1 - inpt


if __name__ == "__main__":
    inverted = Invert()(torch.tensor([0.0, 0.25]))

    healthy = inverted.tolist() == [1.0, 0.75]
    print("OBSERVED", json.dumps({"healthy": healthy, "inverted": inverted.tolist()}))
    sys.exit(0 if healthy else 1)
