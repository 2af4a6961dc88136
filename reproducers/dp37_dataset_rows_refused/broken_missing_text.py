"""DP37: one text is None, as an empty cell of a CSV file is.

The tokenizer takes texts, and names neither the row nor the value.

Symptom: ValueError: text input must be of type `str`, or You need to specify either `text`
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
    tokens = dataset.map(tokenize)  # BUG: one text is None

    ids = list(tokens["input_ids"])
    healthy = ids == [[0, 1], [1]]

    print("OBSERVED", json.dumps({"healthy": healthy, "tokens_by_text": [len(row) for row in ids]}))
    sys.exit(0 if healthy else 1)
