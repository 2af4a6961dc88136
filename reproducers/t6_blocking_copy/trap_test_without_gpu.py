"""T6: pin_memory and non_blocking cannot be tested without a GPU.

Without a GPU the loader pins nothing, and .to("cpu") returns the same tensor. Such a test passes
whatever the code does.

Symptom: both settings are on, nothing is pinned, nothing is copied, nothing is raised
Needs:   torch; cpu; about 2 s
Run:     python trap_test_without_gpu.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

if __name__ == "__main__":
    if torch.cuda.is_available():
        print("SKIPPED this is about machines without a GPU, and here is one")
        sys.exit(77)

    dataset = TensorDataset(torch.zeros(4, 3))
    pinned, same = [], []
    for x, in DataLoader(dataset, batch_size=2, pin_memory=True):  # BUG: does nothing
        pinned.append(x.is_pinned())
        same.append(x.to("cpu", non_blocking=True) is x)  # BUG: nothing is copied

    healthy = all(pinned) and not any(same)
    print("OBSERVED", json.dumps({"healthy": healthy, "pinned_by_batch": pinned,
                                  "same_tensor_by_batch": same}))
    sys.exit(0 if healthy else 1)
