"""DP12: ToTensor leaves the pixels at 0..255, because the array is not uint8.

ToTensor divides by 255 only what it knows to be 8-bit: numpy arrays of uint8 and PIL pictures of
the 8-bit modes. Any other dtype is converted and passed on as it is. A float picture in 0..255
then reaches the model 255 times too large, and nothing is raised.

Symptom: four wrong batches of five pass the popular assertion
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
