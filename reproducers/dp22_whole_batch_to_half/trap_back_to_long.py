"""DP22: a batch cast to half precision as a whole, with its ids, labels and masks.

Half precision is for values that are computed with. Token ids, class labels and masks name
things: as bfloat16 or float16 they are refused where an index is due, and where they are not,
they have lost digits. bfloat16 holds every integer up to 256, and then every second one.

Symptom: cast and cast back with .long(): nothing is raised, and the ids name other words
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
    looked_up = batch["ids"].long()  # BUG: the digits are gone already

    healthy = looked_up.tolist() == ids.tolist()
    print("OBSERVED", json.dumps({"healthy": healthy, "ids": ids.tolist(),
                                  "looked_up": looked_up.tolist(),
                                  "through_float16": ids.to(torch.float16).long().tolist()}))
    sys.exit(0 if healthy else 1)
