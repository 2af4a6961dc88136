"""DP37: the columns and their types are named, so a file may lack one.

A missing value becomes None.

Symptom: none: one label is None
Needs:   datasets; cpu; about 5 s
Run:     python broken_other_columns.py; python fix_features.py
"""
import json
import sys
import tempfile

try:
    from datasets import Features, Value, load_dataset
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
        features = Features({"text": Value("string"), "label": Value("int64")})
        dataset = load_dataset("json", data_files=files, split="train",
                               cache_dir=folder, features=features)  # FIX: all columns
        labels = list(dataset["label"])

    healthy = labels == [None, 1]

    print("OBSERVED", json.dumps({"healthy": healthy, "labels": labels}))
    sys.exit(0 if healthy else 1)
