"""DP23: a field is a number in most samples, and text in one.

The table has "n/a" in one row, which stays text. default_collate looks at the first sample of the
batch, finds a number, and cannot make a tensor.

Symptom: TypeError: must be real number, not str
Needs:   torch; cpu; about 2 s
Run:     python broken_text_field.py; python fix_text_field.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

rows = [("a.jpg", "0.5"), ("b.jpg", "n/a"), ("c.jpg", "1.5"), ("d.jpg", "2.5")]


def number(text):
    return float(text) if text.replace(".", "").isdigit() else text  # BUG: text stays text


class Ages(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return {"name": self.rows[index][0], "age": number(self.rows[index][1])}


if __name__ == "__main__":
    batches = list(DataLoader(Ages(rows), batch_size=2))

    ages = torch.cat([batch["age"] for batch in batches]).tolist()
    healthy = ages == [0.5, 1.5, 2.5]
    print("OBSERVED", json.dumps({"healthy": healthy, "ages": ages}))
    sys.exit(0 if healthy else 1)
