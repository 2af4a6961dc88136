"""E1: labels are cast to integers before they are used as an index.

A label that is no whole number would be cut off: look at np.unique(label) first.

Symptom: none: the one-hot target has the classes of the label
Needs:   torch, numpy; cpu; about 2 s
Run:     python fix_numpy_index.py; python broken_numpy_index.py
"""
import json
import sys

import numpy as np
import torch

num_classes = 3
label = np.array([[0.0, 2.0], [1.0, 0.0]])  # as the file has it

if __name__ == "__main__":
    one_hot = np.eye(num_classes)[label.astype(np.int64)]  # FIX: integers
    target = torch.from_numpy(one_hot).permute(2, 0, 1)

    healthy = target.argmax(0).tolist() == label.tolist()
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(target.shape)}))
    sys.exit(0 if healthy else 1)
