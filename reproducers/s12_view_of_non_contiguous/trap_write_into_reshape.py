"""S12: reshape() in a line that writes: the numbers go into a copy.

mask.t().view(-1) raises, because no view exists. With reshape(-1) the line runs and writes into a
copy.

Symptom: no error: 0 of 2 positions are masked
Needs:   torch; cpu; about 2 s
Run:     python trap_write_into_reshape.py
"""
import json
import sys

import torch


if __name__ == "__main__":
    mask = torch.zeros(3, 4)
    mask.t().reshape(-1)[[1, 5]] = 1  # BUG: writes into a copy
    masked = int(mask.sum())

    healthy = masked == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "masked": masked}))
    sys.exit(0 if healthy else 1)
