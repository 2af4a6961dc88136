"""DP38: the paths in a list are joined with the folder of the list.

Then the working folder does not matter.

Symptom: none
Needs:   numpy; cpu; about 3 s
Run:     python fix_relative.py
"""
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np


if __name__ == "__main__":
    root = Path(tempfile.mkdtemp())
    (root / "images").mkdir()
    np.save(root / "images" / "0.npy", np.ones(3))
    (root / "train.txt").write_text("images/0.npy\n")
    os.chdir(tempfile.gettempdir())  # where the program was started

    path = (root / "train.txt").read_text().strip()
    sample = np.load(root / path)  # FIX: relative to the list

    healthy = sample.tolist() == [1, 1, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "sum": sample.sum().item()}))
    sys.exit(0 if healthy else 1)
