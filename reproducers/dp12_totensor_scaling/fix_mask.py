"""DP12: a segmentation mask keeps its class ids when it does not go through ToTensor.

A mask stored as an 8-bit image looks like any other image to ToTensor, which divides its class
ids by 255: class 1 becomes 0.0039. A mask is a table of integers and needs no scaling.

Symptom: none: the class ids arrive as int64, unchanged
Needs:   torch, torchvision, PIL, numpy; cpu; about 4 s
Run:     python fix_mask.py
"""
import json
import sys

import numpy as np
import torch

try:
    from PIL import Image
    from torchvision.transforms import ToTensor
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)


def mask_to_tensor(mask):
    return torch.from_numpy(np.array(mask)).long()  # FIX: class ids as they are, as int64


if __name__ == "__main__":
    class_ids = [0, 1, 2, 255]  # 255: often the label to ignore
    mask = Image.fromarray(np.array([class_ids], dtype=np.uint8))

    through_totensor = [round(v, 4) for v in ToTensor()(mask).flatten().tolist()]
    kept = mask_to_tensor(mask).flatten().tolist()
    healthy = kept == class_ids and through_totensor == [0.0, 0.0039, 0.0078, 1.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "class_ids": kept,
                                  "through_totensor": through_totensor}))
    sys.exit(0 if healthy else 1)
