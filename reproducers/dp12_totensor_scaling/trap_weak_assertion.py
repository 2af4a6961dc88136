"""DP12: an assertion on the maximum alone accepts wrongly scaled batches.

Images that were scaled twice, normalised, or that wrapped to negative values all have a maximum
between 0 and 1.

Symptom: four of five wrong batches pass the popular assertion
Needs:   torch; cpu; about 3 s
Run:     python trap_weak_assertion.py
"""
import json
import sys

import torch

torch.manual_seed(0)


def check(batch):
    assert 0.0 <= batch.max() <= 1.0  # BUG: one end only, and near zero is accepted too


def passes(batch):
    try:
        check(batch)
    except AssertionError:
        return False
    return True


if __name__ == "__main__":
    good = torch.randint(0, 256, (8, 3, 16, 16)).float() / 255
    bad = {
        "not_scaled": good * 255,
        "scaled_twice": good / 255,
        "int32_scaled_by_dtype": good * 255 / (2 ** 31 - 1),
        "normalised": (0.6 * good - 0.45) / 0.22,
        "16_bit_wrapped": -32768 * good,
    }
    accepted = [name for name, batch in bad.items() if passes(batch)]

    healthy = passes(good) and not accepted
    print("OBSERVED", json.dumps({"healthy": healthy, "wrong_batches": len(bad),
                                  "accepted": len(accepted), "which": ", ".join(accepted)}))
    sys.exit(0 if healthy else 1)
