"""S5: padding all images to the largest of the batch does not help.

The batch can be stacked afterwards, and its size is still not a multiple of what the model needs.

Symptom: padded to 50 x 46, and 50 is not divisible by 4
Needs:   torch; cpu; about 2 s
Run:     python trap_pad_to_batch.py; python fixed.py
"""
import json
import sys

import torch
from torch.nn import functional as F

multiple = 4


if __name__ == "__main__":
    images = [torch.rand(1, 50, 40), torch.rand(1, 47, 46)]
    height, width = (max(image.shape[axis] for image in images) for axis in (1, 2))
    batch = torch.stack([F.pad(image, (0, width - image.shape[2], 0, height - image.shape[1]))
                         for image in images])  # BUG: round height and width up as well

    size = list(batch.shape[-2:])
    healthy = len(batch) == 2 and [side % multiple for side in size] == [0, 0]
    print("OBSERVED", json.dumps({"healthy": healthy, "size": size}))
    sys.exit(0 if healthy else 1)
