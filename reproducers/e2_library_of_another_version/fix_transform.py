"""E2: a transform of your own has the method under both names.

Releases until 0.20 call _transform(), later ones transform().

Symptom: none: the values are inverted
Needs:   torch, torchvision; cpu; about 4 s
Run:     python fix_transform.py; python broken_transform.py
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
    def transform(self, inpt, params):  # FIX: the name since 0.21
        return 1 - inpt

    _transform = transform  # FIX: for releases until 0.20


if __name__ == "__main__":
    inverted = Invert()(torch.tensor([0.0, 0.25]))

    healthy = inverted.tolist() == [1.0, 0.75]
    print("OBSERVED", json.dumps({"healthy": healthy, "inverted": inverted.tolist()}))
    sys.exit(0 if healthy else 1)
