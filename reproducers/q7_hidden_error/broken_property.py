"""Q7: a module reports that its property does not exist, although it is defined.

The property itself fails with an AttributeError: a Linear has out_features, no out_channels. Python
then asks nn.Module.__getattr__ for the property, and its error replaces the first one.

Symptom: AttributeError: 'Classifier' object has no attribute 'width'
Needs:   torch; cpu; about 2 s
Run:     python broken_property.py; python fix_print_errors.py
"""
import json
import sys

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(8, 4)
        self.head = nn.Linear(self.width, 2)

    @property
    def width(self):
        return self.backbone.out_channels  # BUG: this attribute is missing, not width


if __name__ == "__main__":
    model = Classifier()

    shape = list(model.head(model.backbone(torch.randn(1, 8))).shape)
    healthy = shape == [1, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": shape}))
    sys.exit(0 if healthy else 1)
