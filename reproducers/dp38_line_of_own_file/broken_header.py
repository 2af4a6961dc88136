"""DP38: the names of the columns are taken for a sample.

csv.reader gives the header as the first row.

Symptom: ValueError: could not convert string to float: 'width'
Needs:   torch; cpu; about 3 s
Run:     python broken_header.py
"""
import csv
import json
import sys

import torch

torch.manual_seed(0)
lines = ["width,height,label", "2.5,1.0,0", "0.5,3.0,1"]


if __name__ == "__main__":
    rows = list(csv.reader(lines))
    # BUG: the first row has names
    table = torch.tensor([[float(value) for value in row] for row in rows])

    healthy = list(table.shape) == [2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "rows_and_columns": list(table.shape)}))
    sys.exit(0 if healthy else 1)
