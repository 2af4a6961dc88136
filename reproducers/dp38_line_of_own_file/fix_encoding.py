"""DP38: a file of a Windows program is read with its encoding.

cp1252 has the letter.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_encoding.py
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
    rows = [line.split(",") for line in file.read_text("cp1252").splitlines()]  # FIX: cp1252
    labels = torch.tensor([int(row[1]) for row in rows[1:]])

    healthy = rows[1][0] == "Köln" and labels.tolist() == [1]
    print("OBSERVED", json.dumps({"healthy": healthy, "labels": labels.tolist()}))
    sys.exit(0 if healthy else 1)
