"""DP38: the paths in a list are relative to the list, and the program runs in a different folder.

Python looks for a relative path in the folder in which the program was started.

Symptom: FileNotFoundError: [Errno 2] No such file or directory: 'images/0.npy'
Needs:   numpy; cpu; about 3 s
Run:     python broken_relative.py
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
    sample = np.load(path)  # BUG: relative to the working folder

    healthy = sample.tolist() == [1, 1, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "sum": sample.sum().item()}))
    sys.exit(0 if healthy else 1)
