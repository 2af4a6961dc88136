"""DP22: casting only floating tensors still rounds regression targets.

Targets and times are floats, so they are cast with the features. bfloat16 keeps two to three
decimal digits.

Symptom: nothing is raised, and the target 4095 has become 4096
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
    batch = {name: value.to(dtype) if value.is_floating_point() else value  # BUG: the target
             for name, value in batch.items()}

    healthy = batch["target"].tolist() == target.tolist()
    print("OBSERVED", json.dumps({"healthy": healthy, "target": target.tolist(),
                                  "after_the_cast": batch["target"].tolist()}))
    sys.exit(0 if healthy else 1)
