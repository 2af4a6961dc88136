"""DP12: scale=True leaves floats alone and divides integers by the maximum of their dtype.

ToDtype(torch.float32, scale=True) and ConvertImageDtype expect floats in 0..1 and integers that
use the whole range of their dtype. Pixels of 0..255 in float32 or in a wide integer dtype do not.

Symptom: 0..255 stays 0..255 as float32 and becomes 0.0000001 as int32
Needs:   torch, torchvision, numpy; cpu; about 4 s
Run:     python trap_todtype_scale.py
"""
import json
import sys

import numpy as np
import torch

try:
    from torchvision.transforms import ConvertImageDtype
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)


def scaler():
    try:
        from torchvision.transforms import v2

        return v2.ToDtype(torch.float32, scale=True)  # BUG: divides integers by their dtype's
    except (ImportError, TypeError):  # before torchvision 0.16
        return ConvertImageDtype(torch.float32)  # BUG: maximum, and floats not at all


if __name__ == "__main__":
    image = np.arange(256).reshape(1, 16, 16)
    dtypes = [torch.uint8, torch.float32, torch.int16, torch.int32, torch.int64]
    scale = scaler()
    largest = [scale(torch.from_numpy(image).to(dtype)).max().item() for dtype in dtypes]
    names = [str(dtype).replace("torch.", "") for dtype in dtypes]

    healthy = largest == [1.0] * len(dtypes)
    print("OBSERVED", json.dumps({"healthy": healthy, "dtypes": names,
                                  "largest_by_dtype": [float(f"{x:.3g}") for x in largest]}))
    sys.exit(0 if healthy else 1)
