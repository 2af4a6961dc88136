"""DP22: ids that are cast to bfloat16 and back with .long() name other words.

bfloat16 has 8 significant bits, so integers above 256 are rounded. float16 has 11 and rounds above
2048. Casting back does not restore them.

Symptom: nothing is raised, and 257 has become 256
Needs:   torch; cpu; about 2 s
Run:     python trap_back_to_long.py; python fixed.py
"""
import json
import sys

import torch
from torch.nn import functional as F

torch.manual_seed(0)
dtype = torch.bfloat16


if __name__ == "__main__":
    ids = torch.tensor([255, 257, 511, 1001, 30521, 50256])
    batch = {"ids": ids.clone(), "features": torch.randn(6, 3)}
    batch = {name: value.to(dtype) for name, value in batch.items()}
    looked_up = batch["ids"].long()  # BUG: the ids are already rounded

    healthy = looked_up.tolist() == ids.tolist()
    print("OBSERVED", json.dumps({"healthy": healthy, "ids": ids.tolist(),
                                  "looked_up": looked_up.tolist(),
                                  "through_float16": ids.to(torch.float16).long().tolist()}))
    sys.exit(0 if healthy else 1)
