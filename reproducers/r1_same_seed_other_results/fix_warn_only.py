"""R1: warn_only=True lists the operations instead of stopping at the first one.

The run goes on, and each operation without a deterministic form gives a warning. Use it for one
run, to see which operations you have to replace.

Symptom: none: a warning that names put_, and the values in their places
Needs:   torch; cpu; about 2 s
Run:     python fix_warn_only.py
"""
import json
import sys
import warnings

import torch

if torch.__version__.startswith(("1.8.", "1.9.", "1.10.")):
    print("SKIPPED warn_only came with torch 1.11")
    sys.exit(77)
torch.use_deterministic_algorithms(True, warn_only=True)  # FIX: torch 1.11 or later


def scatter(values, places):
    canvas = torch.zeros(4)
    canvas.put_(places, values)
    return canvas


if __name__ == "__main__":
    with warnings.catch_warnings(record=True) as caught:
        canvas = scatter(torch.tensor([5.0, 6.0]), torch.tensor([2, 0]))
    named = sum("put_ does not have a deterministic" in str(warning.message) for warning in caught)

    healthy = named == 1 and canvas.tolist() == [6, 0, 5, 0]
    print("OBSERVED", json.dumps({"healthy": healthy, "warnings": named,
                                  "canvas": canvas.tolist()}))
    sys.exit(0 if healthy else 1)
