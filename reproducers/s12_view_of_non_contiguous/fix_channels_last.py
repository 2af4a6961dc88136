"""S12: flatten(1) in front of the classifier, in a model that is converted to channels_last.

The convolution returns a tensor in channels_last order: its shape is (N, C, H, W), its memory is
(N, H, W, C). flatten(1) copies it into the order of the shape.

Symptom: none: the outputs are those of the model before the conversion
Needs:   torch; cpu; about 2 s
Run:     python fix_channels_last.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Conv2d(3, 4, 3)
        self.head = nn.Linear(4 * 6 * 6, 2)

    def forward(self, x):
        x = self.features(x)
        x = x.flatten(1)  # FIX: copies if it must
        return self.head(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    model, images = Net(), torch.randn(2, 3, 8, 8)
    expected = model(images)
    model = model.to(memory_format=torch.channels_last)
    output = model(images.to(memory_format=torch.channels_last))

    healthy = torch.allclose(output, expected, atol=1e-5)
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(output.shape)}))
    sys.exit(0 if healthy else 1)
