"""DP38: the line is cut once, from the right.

The label is behind the last space.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_space.py
"""
import json
import sys

import torch

torch.manual_seed(0)
lines = ["images/cat 01.png 0", "images/dog.png 1"]


def read_samples(lines):
    """Pairs of a path and a label."""
    samples = []
    for line in lines:
        path, label = line.rsplit(" ", 1)  # FIX: once, from the right
        samples.append((path, int(label)))
    return samples


if __name__ == "__main__":
    samples = read_samples(lines)
    labels = torch.tensor([label for _, label in samples])

    healthy = labels.tolist() == [0, 1] and samples[0][0].endswith("cat 01.png")
    print("OBSERVED", json.dumps({"healthy": healthy, "first_path": samples[0][0]}))
    sys.exit(0 if healthy else 1)
