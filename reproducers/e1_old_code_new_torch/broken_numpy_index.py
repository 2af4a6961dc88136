"""E1: labels that were read as floats are no index of a numpy array.

A medical volume, a CSV file or np.zeros() gives float64. numpy refuses it as an index since 1.12.

Symptom: IndexError: arrays used as indices must be of integer (or boolean) type
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken_numpy_index.py; python fix_numpy_index.py
"""
import json
import sys

import numpy as np
import torch

num_classes = 3
label = np.array([[0.0, 2.0], [1.0, 0.0]])  # as the file has it

if __name__ == "__main__":
    one_hot = np.eye(num_classes)[label]  # BUG: float64
    target = torch.from_numpy(one_hot).permute(2, 0, 1)

    healthy = target.argmax(0).tolist() == label.tolist()
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(target.shape)}))
    sys.exit(0 if healthy else 1)
