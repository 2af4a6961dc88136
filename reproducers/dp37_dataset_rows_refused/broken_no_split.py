"""DP37: the dict of splits is used as if it were a dataset.

load_dataset() without split= returns a DatasetDict, whose keys are train, validation and test.

Symptom: KeyError: Invalid key: 0. Please first select a split.
Needs:   datasets; cpu; about 5 s
Run:     python broken_no_split.py; python fixed.py
"""
import json
import sys

try:
    from datasets import Dataset, DatasetDict
except ImportError:
    print("SKIPPED datasets is not installed")
    sys.exit(77)

if __name__ == "__main__":
    dataset = DatasetDict({"train": Dataset.from_dict({"text": ["a", "b"]})})
    first = dataset[0]  # BUG: no split was chosen

    healthy = first == {"text": "a"}

    print("OBSERVED", json.dumps({"healthy": healthy, "text": first["text"]}))
    sys.exit(0 if healthy else 1)
