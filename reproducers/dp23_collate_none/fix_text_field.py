"""DP23: rows without a number are left out, once, and the number of the row is printed.

float() in __init__ meets every row before training starts.

Symptom: none: every sample has a number
Needs:   torch; cpu; about 2 s
Run:     python fix_text_field.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

rows = [("a.jpg", "0.5"), ("b.jpg", "n/a"), ("c.jpg", "1.5"), ("d.jpg", "2.5")]


class Ages(Dataset):
    def __init__(self, rows):
        self.rows, self.left_out = [], []
        for number, (name, age) in enumerate(rows):
            try:
                self.rows.append((name, float(age)))  # FIX: a number, or the row is left out
            except ValueError:
                self.left_out.append((number, name, age))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return {"name": self.rows[index][0], "age": self.rows[index][1]}


if __name__ == "__main__":
    dataset = Ages(rows)
    print("without a number:", dataset.left_out)
    batches = list(DataLoader(dataset, batch_size=2))

    ages = torch.cat([batch["age"] for batch in batches]).tolist()
    healthy = ages == [0.5, 1.5, 2.5] and len(dataset.left_out) == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "ages": ages,
                                  "left_out": len(dataset.left_out)}))
    sys.exit(0 if healthy else 1)
