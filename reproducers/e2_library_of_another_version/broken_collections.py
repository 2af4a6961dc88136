"""E2: code from before Python 3.10 takes Mapping from collections.

It has been in collections.abc since Python 3.3, and Python 3.10 has removed the old names.

Symptom: AttributeError: module 'collections' has no attribute 'Mapping'
Needs:   torch; cpu; about 2 s
Run:     python broken_collections.py
"""
import collections
import json
import sys

import torch


def to_device(batch, device):
    if isinstance(batch, collections.Mapping):  # BUG: gone in Python 3.10
        return {key: to_device(value, device) for key, value in batch.items()}
    return batch.to(device)


if __name__ == "__main__":
    batch = to_device({"x": torch.zeros(2)}, "cpu")

    healthy = len(batch["x"]) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "keys": sorted(batch)}))
    sys.exit(0 if healthy else 1)
