"""S2: ids are floats because they share a table with floats.

A table of numbers has one dtype. A column of ids in it becomes float, and a float is not a
row number.

Symptom: Expected tensor for argument #1 'indices' to have one of ... Long, Int; but got torch.Flo
Needs:   torch, numpy; cpu; about 2 s
Run:     python broken_float_ids.py; python fix_long_ids.py
"""
import json
import sys

import numpy
import torch
from torch import nn

rows_of_table = [[3.0, 0.5], [7.0, 0.1]]  # the first column is an id


if __name__ == "__main__":
    table = torch.from_numpy(numpy.array(rows_of_table, dtype="float32"))
    ids = table[:, 0]  # BUG: float32
    vectors = nn.Embedding(10, 4)(ids)

    healthy = list(vectors.shape) == [len(table), 4]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(vectors.shape)}))
    sys.exit(0 if healthy else 1)
