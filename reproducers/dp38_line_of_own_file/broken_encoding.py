"""DP38: a file of a Windows program is read as UTF-8.

The letter ö is one byte in cp1252, and no character of UTF-8 begins with it.

Symptom: UnicodeDecodeError: 'utf-8' codec can't decode byte 0xf6
Needs:   torch; cpu; about 3 s
Run:     python broken_encoding.py
"""
import json
import sys
import tempfile
from pathlib import Path

import torch

torch.manual_seed(0)


if __name__ == "__main__":
    file = Path(tempfile.mkdtemp(), "labels.csv")
    file.write_bytes("name,label\nKöln,1\n".encode("cp1252"))
    rows = [line.split(",") for line in file.read_text("utf-8").splitlines()]  # BUG
    labels = torch.tensor([int(row[1]) for row in rows[1:]])

    healthy = rows[1][0] == "Köln" and labels.tolist() == [1]
    print("OBSERVED", json.dumps({"healthy": healthy, "labels": labels.tolist()}))
    sys.exit(0 if healthy else 1)
