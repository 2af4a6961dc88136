"""DP38: a list of samples ends with an empty line, which the dataset takes for a sample.

An empty line has no parts, so the first part does not exist.

Symptom: IndexError: list index out of range
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import tempfile
from pathlib import Path

import torch

torch.manual_seed(0)
text = "a.png 0\nb.png 1\n\n"


def read_samples(file):
    """The paths and the labels of a list."""
    lines = file.read_text().split("\n")  # BUG: with the empty lines
    paths = [line.split()[0] for line in lines]
    return paths, torch.tensor([int(line.split()[1]) for line in lines])


if __name__ == "__main__":
    file = Path(tempfile.mkdtemp(), "train.txt")
    file.write_text(text)
    paths, labels = read_samples(file)

    healthy = labels.tolist() == [0, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "labels": labels.tolist(), "n": len(paths)}))
    sys.exit(0 if healthy else 1)
