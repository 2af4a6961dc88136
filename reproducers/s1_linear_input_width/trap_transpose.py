"""S1: transposing the input until it fits turns samples into features.

A layer for 4 features, a batch of 4 samples with 3 features each: the transposed batch fits. Each
output is then computed from one feature of all samples.

Symptom: the scores of sample 0 change when sample 1 changes
Needs:   torch; cpu; about 2 s
Run:     python trap_transpose.py
"""
import json
import sys

import torch
from torch import nn

num_samples = 4
num_features = 3


if __name__ == "__main__":
    torch.manual_seed(0)
    layer = nn.Linear(4, 1)  # built for 4 features
    samples = torch.randn(num_samples, num_features)
    before = layer(samples.t())  # BUG: (3, 4): 4 is the batch size
    samples[1] += 1.0
    changed = (layer(samples.t()) - before).abs().max().item()

    healthy = before.shape[0] == num_samples and changed == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "rows": before.shape[0],
                                  "samples": num_samples, "changed": round(changed, 4)}))
    sys.exit(0 if healthy else 1)
