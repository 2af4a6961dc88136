"""DP37: a batched map() returns six rows for three, and the old column stays.

The result of the function is put beside the columns that are there, and these have three rows.

Symptom: ArrowInvalid: Column 1 named line expected length 3 but got length 6
Needs:   datasets; cpu; about 5 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

try:
    from datasets import Dataset
except ImportError:
    print("SKIPPED datasets is not installed")
    sys.exit(77)

def split(batch):
    """Two lines for each text."""
    return {"line": [line for text in batch["text"] for line in text.split("/")]}


if __name__ == "__main__":
    dataset = Dataset.from_dict({"text": ["a/b", "c/d", "e/f"]})
    lines = dataset.map(split, batched=True)  # BUG: text stays, with three rows

    healthy = lines.num_rows == 6

    print("OBSERVED", json.dumps({"healthy": healthy, "lines": lines.num_rows}))
    sys.exit(0 if healthy else 1)
