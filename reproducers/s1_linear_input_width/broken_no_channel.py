"""S1: a grey image has two axes, and a convolution needs a channel and a batch as well.

NumPy and PIL give a grey image as (height, width).

Symptom: RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d
Needs:   torch; cpu; about 2 s
Run:     python broken_no_channel.py; python fix_width_of_data.py
"""
import json
import sys

import torch
from torch import nn

if __name__ == "__main__":
    torch.manual_seed(0)
    image = torch.rand(28, 28)
    conv = nn.Conv2d(1, 4, 3)
    outputs = conv(image)  # BUG: the channel and the batch axis are missing

    healthy = list(outputs.shape) == [1, 4, 26, 26]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(outputs.shape)}))
    sys.exit(0 if healthy else 1)
