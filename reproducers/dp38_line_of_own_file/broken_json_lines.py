"""DP38: a file with one JSON object in each line is read as one JSON text.

After the first object json expects the end of the file.

Symptom: json.decoder.JSONDecodeError: Extra data: line 2 column 1 (char 13)
Needs:   torch; cpu; about 3 s
Run:     python broken_json_lines.py
"""
import json
import sys

import torch

torch.manual_seed(0)
text = '{"label": 0}\n{"label": 1}\n'


if __name__ == "__main__":
    rows = json.loads(text)  # BUG: each line is an object
    labels = torch.tensor([row["label"] for row in rows])

    healthy = labels.tolist() == [0, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "labels": labels.tolist()}))
    sys.exit(0 if healthy else 1)
