"""DP22: a batch cast to half precision as a whole, with its ids, labels and masks.

Half precision is for values that are computed with. Token ids, class labels and masks name
things: as bfloat16 or float16 they are refused where an index is due, and where they are not,
they have lost digits. bfloat16 holds every integer up to 256, and then every second one.

Symptom: only floats are cast, and regression targets and times are floats
Needs:   torch; cpu; about 2 s
Run:     python trap_float_targets.py; python fix_autocast.py
"""
import json
import sys

import torch
from torch.nn import functional as F

torch.manual_seed(0)
dtype = torch.bfloat16


if __name__ == "__main__":
    target = torch.tensor([4095.0, 1234.5, 86399.0])
    batch = {"ids": torch.tensor([7, 257, 30521]), "target": target}
    batch = {name: value.to(dtype) if value.is_floating_point() else value  # BUG: the target, too
             for name, value in batch.items()}

    healthy = batch["target"].tolist() == target.tolist()
    print("OBSERVED", json.dumps({"healthy": healthy, "target": target.tolist(),
                                  "after_the_cast": batch["target"].tolist()}))
    sys.exit(0 if healthy else 1)
