"""DP37: rows without a text are left out before they are tokenised.

Count them first: many of them are a fault of the file.

Symptom: none: two texts
Needs:   datasets, transformers; cpu; about 10 s
Run:     python broken_missing_text.py; python fix_drop_missing.py
"""
import json
import sys

try:
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
except ImportError:
    print("SKIPPED datasets or transformers is not installed")
    sys.exit(77)

words = Tokenizer(models.WordLevel({"a": 0, "film": 1}, unk_token="a"))
words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words)


def tokenize(row):
    return tokenizer(row["text"])


if __name__ == "__main__":
    dataset = Dataset.from_dict({"text": ["a film", None, "film"]})
    dataset = dataset.filter(lambda row: isinstance(row["text"], str))  # FIX: texts only
    tokens = dataset.map(tokenize)

    ids = list(tokens["input_ids"])
    healthy = ids == [[0, 1], [1]]

    print("OBSERVED", json.dumps({"healthy": healthy, "tokens_by_text": [len(row) for row in ids]}))
    sys.exit(0 if healthy else 1)
