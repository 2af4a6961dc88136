"""L6: the tokenizer has a pad token, which is in its vocabulary.

A token that never occurs in a text is best. If the vocabulary has none, use the end token, and
build the labels from lengths.

Symptom: none: both texts have three tokens
Needs:   torch, transformers; cpu; about 8 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

try:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

words = {word: number for number, word in enumerate(["<end>", "<pad>", "a", "good", "film"])}
backend = Tokenizer(models.WordLevel(words, unk_token="<end>"))
backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
texts = ["a film", "a good film"]

if __name__ == "__main__":
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<end>")
    tokenizer.pad_token = "<pad>"  # FIX: a token of the vocabulary
    ids = tokenizer(texts, padding=True)["input_ids"]

    lengths = [len(row) for row in ids]
    healthy = lengths == [3, 3]

    print("OBSERVED", json.dumps({"healthy": healthy, "tokens_by_text": lengths}))
    sys.exit(0 if healthy else 1)
