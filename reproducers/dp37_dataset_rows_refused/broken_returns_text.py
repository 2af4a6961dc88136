"""DP37: the function of map() returns a text and not a dict.

map() needs the name of the column that the result goes to.

Symptom: TypeError: Provided `function` ... returns a variable of type <class 'str'>
Needs:   datasets; cpu; about 5 s
Run:     python broken_returns_text.py; python fixed.py
"""
import json
import sys

try:
    from datasets import Dataset
except ImportError:
    print("SKIPPED datasets is not installed")
    sys.exit(77)

def clean(row):
    return row["text"].strip()  # BUG: not {"text": ...}


if __name__ == "__main__":
    dataset = Dataset.from_dict({"text": [" a", "b "]})
    texts = list(dataset.map(clean)["text"])

    healthy = texts == ["a", "b"]

    print("OBSERVED", json.dumps({"healthy": healthy, "texts": len(texts)}))
    sys.exit(0 if healthy else 1)
