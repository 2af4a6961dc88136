"""H1: the columns get the names that the code asks for.

rename_columns() needs no other copy of the data.

Symptom: none: both texts are made
Needs:   torch, datasets; cpu; about 5 s
Run:     python fix_rename_columns.py; python broken_other_columns.py
"""
import json
import sys

try:
    from datasets import Dataset
except ImportError:
    print("SKIPPED datasets is not installed")
    sys.exit(77)

rows = [{"question": "1 + 1?", "answer": "2"}, {"question": "1 + 2?", "answer": "3"}]


def add_text(row):
    return {"text": row["prompt"] + " " + row["completion"]}


if __name__ == "__main__":
    dataset = Dataset.from_list(rows)
    dataset = dataset.rename_columns({"question": "prompt", "answer": "completion"})  # FIX: names
    texts = dataset.map(add_text)["text"]

    healthy = list(texts) == ["1 + 1? 2", "1 + 2? 3"]
    print("OBSERVED", json.dumps({"healthy": healthy, "texts": list(texts)}))
    sys.exit(0 if healthy else 1)
