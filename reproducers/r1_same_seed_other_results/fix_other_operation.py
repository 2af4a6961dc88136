"""R1: a different operation for the same result, which has a deterministic form.

Assignment by index does what put_() does, and use_deterministic_algorithms(True) accepts it.

Symptom: none: the values are in their places, without an error
Needs:   torch; cpu; about 2 s
Run:     python fix_other_operation.py
"""
import json
import sys

import torch

torch.use_deterministic_algorithms(True)


def scatter(values, places):
    canvas = torch.zeros(4)
    canvas[places] = values  # FIX
    return canvas


if __name__ == "__main__":
    canvas = scatter(torch.tensor([5.0, 6.0]), torch.tensor([2, 0]))

    healthy = canvas.tolist() == [6, 0, 5, 0]
    print("OBSERVED", json.dumps({"healthy": healthy, "canvas": canvas.tolist()}))
    sys.exit(0 if healthy else 1)
