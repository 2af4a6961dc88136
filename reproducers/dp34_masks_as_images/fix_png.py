"""DP34: a mask that is saved as PNG comes back unchanged.

PNG keeps each number.

Symptom: none
Needs:   torch, numpy, PIL; cpu; about 3 s
Run:     python fix_png.py
"""
import io
import json
import sys

import torch

try:
    import numpy as np
    from PIL import Image
except ImportError:
    print("SKIPPED PIL is not installed")
    sys.exit(77)

if __name__ == "__main__":
    mask = np.zeros((32, 32), dtype=np.uint8)
    mask[8:20, 10:25] = 1
    mask[22:30, 3:12] = 2
    file = io.BytesIO()
    Image.fromarray(mask).save(file, "PNG")  # FIX: lossless
    file.seek(0)
    target = torch.from_numpy(np.array(Image.open(file))).long()
    wrong = int((target != torch.from_numpy(mask).long()).sum())

    healthy = wrong == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "wrong_pixels": wrong}))
    sys.exit(0 if healthy else 1)
