"""DP38: each line is read by itself.

JSON Lines has one object in each line.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_json_lines.py
"""
import json
import sys

import torch

torch.manual_seed(0)
text = '{"label": 0}\n{"label": 1}\n'


if __name__ == "__main__":
    rows = [json.loads(line) for line in text.splitlines()]  # FIX: line by line
    labels = torch.tensor([row["label"] for row in rows])

    healthy = labels.tolist() == [0, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "labels": labels.tolist()}))
    sys.exit(0 if healthy else 1)
