"""E1: torch._six does not exist any more.

torch._six held names for Python 2. Its names are now those of Python itself.

Symptom: ModuleNotFoundError: No module named 'torch._six'
Needs:   torch; cpu; about 2 s
Run:     python broken_six.py; python fix_replacements.py
"""
import json
import sys

import torch


def to_device(batch, device):
    from torch._six import string_classes  # BUG: removed in torch 2.0

    return {key: value if isinstance(value, string_classes) else value.to(device)
            for key, value in batch.items()}


if __name__ == "__main__":
    batch = to_device({"image": torch.ones(2), "path": "a.png"}, "cpu")
    healthy = batch["path"] == "a.png" and batch["image"].sum().item() == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "keys": sorted(batch)}))
    sys.exit(0 if healthy else 1)
