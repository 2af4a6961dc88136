"""L6: texts of unequal length, and a tokenizer that has no pad token.

GPT-2, Llama and most base models were trained on packed text, so their tokenizers name no token for
padding.

Symptom: ValueError: Asking to pad but the tokenizer does not have a padding token.
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
    ids = tokenizer(texts, padding=True)["input_ids"]  # BUG: no pad token

    lengths = [len(row) for row in ids]
    healthy = lengths == [3, 3]

    print("OBSERVED", json.dumps({"healthy": healthy, "tokens_by_text": lengths}))
    sys.exit(0 if healthy else 1)
