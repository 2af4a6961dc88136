"""E2: Mapping of collections.abc is there on every Python 3.

Symptom: none: the batch is moved
Needs:   torch; cpu; about 2 s
Run:     python fix_collections.py; python broken_collections.py
"""
import collections.abc
import json
import sys

import torch


def to_device(batch, device):
    if isinstance(batch, collections.abc.Mapping):  # FIX: its place since Python 3.3
        return {key: to_device(value, device) for key, value in batch.items()}
    return batch.to(device)


if __name__ == "__main__":
    batch = to_device({"x": torch.zeros(2)}, "cpu")

    healthy = len(batch["x"]) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "keys": sorted(batch)}))
    sys.exit(0 if healthy else 1)
