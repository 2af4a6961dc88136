"""H1: the code asks for a column that the data do not have.

The file has question and answer, and the template or the trainer reads prompt.

Symptom: KeyError: 'prompt'
Needs:   torch, datasets; cpu; about 5 s
Run:     python broken_other_columns.py; python fix_rename_columns.py
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
    dataset = Dataset.from_list(rows)  # BUG: question and answer
    texts = dataset.map(add_text)["text"]

    healthy = list(texts) == ["1 + 1? 2", "1 + 2? 3"]
    print("OBSERVED", json.dumps({"healthy": healthy, "texts": list(texts)}))
    sys.exit(0 if healthy else 1)
