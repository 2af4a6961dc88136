"""DP37: map() drops the old columns, so the new ones may have more rows.

remove_columns is applied before the result is put together.

Symptom: none: six lines
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
    lines = dataset.map(split, batched=True,
                        remove_columns=dataset.column_names)  # FIX: only the new column

    healthy = lines.num_rows == 6

    print("OBSERVED", json.dumps({"healthy": healthy, "lines": lines.num_rows}))
    sys.exit(0 if healthy else 1)
