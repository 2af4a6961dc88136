"""DP12: a check of both ends of the range refuses every wrong scale.

The lower end catches negative values (16-bit images, normalised images). The upper end catches
unscaled images, and its lower bound of 0.05 catches those that were scaled twice.

Symptom: none: all five wrong batches are refused, and the good one is accepted
Needs:   torch; cpu; about 3 s
Run:     python fix_assert_range.py
"""
import json
import sys

import torch

torch.manual_seed(0)


def check(batch):
    low, high = batch.min().item(), batch.max().item()
    assert 0.0 <= low and 0.05 < high <= 1.0, (low, high)  # FIX: both ends, and not near zero


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
    accepted = {name: passes(batch) for name, batch in bad.items()}

    healthy = passes(good) and list(accepted.values()) == [False] * 5
    print("OBSERVED", json.dumps({"healthy": healthy, "accepted": accepted}))
    sys.exit(0 if healthy else 1)
