"""DP37: one file has a column that the first file does not have.

The types of all columns are taken from the first file, if you do not name them.

Symptom: CastError: Couldn't cast, because column names don't match
Needs:   datasets; cpu; about 5 s
Run:     python broken_other_columns.py; python fix_features.py
"""
import json
import sys
import tempfile

try:
    from datasets import load_dataset
except ImportError:
    print("SKIPPED datasets is not installed")
    sys.exit(77)

rows_by_file = [[{"text": "a"}], [{"text": "b", "label": 1}]]

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{number}.jsonl" for number in range(2)]
        for file, rows in zip(files, rows_by_file):
            with open(file, "w") as lines:
                lines.writelines(json.dumps(row) + "\n" for row in rows)
        dataset = load_dataset("json", data_files=files, split="train",
                               cache_dir=folder)  # BUG: no label in the first file
        labels = list(dataset["label"])

    healthy = labels == [None, 1]

    print("OBSERVED", json.dumps({"healthy": healthy, "labels": labels}))
    sys.exit(0 if healthy else 1)
