"""DP38: the row of names is left out.

The samples begin in the second row.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_header.py
"""
import csv
import json
import sys

import torch

torch.manual_seed(0)
lines = ["width,height,label", "2.5,1.0,0", "0.5,3.0,1"]


if __name__ == "__main__":
    rows = list(csv.reader(lines))
    rows = rows[1:]  # FIX: without the names
    table = torch.tensor([[float(value) for value in row] for row in rows])

    healthy = list(table.shape) == [2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "rows_and_columns": list(table.shape)}))
    sys.exit(0 if healthy else 1)
