"""S3: a check of the dataset names the samples whose lengths differ.

It needs no model. It runs once before training, over the samples as the dataset returns them.

Symptom: none: samples 1 and 3 are named, with their lengths
Needs:   torch; cpu; about 2 s
Run:     python fix_check_lengths.py
"""
import json
import sys

import torch


def unequal_lengths(dataset):  # FIX: look at each sample before it is padded
    """Number, ids and labels of the samples with a label too many or too few."""
    return [(number, len(ids), len(labels)) for number, (ids, labels) in enumerate(dataset)
            if len(ids) != len(labels)]


if __name__ == "__main__":
    lengths = [(5, 5), (7, 4), (3, 3), (6, 7)]
    dataset = [(torch.zeros(ids), torch.zeros(labels)) for ids, labels in lengths]
    found = unequal_lengths(dataset)

    healthy = found == [(1, 7, 4), (3, 6, 7)] and unequal_lengths(dataset[:1]) == []
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
