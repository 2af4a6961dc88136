"""L6: the collator for masked language models, and the tokenizer of a decoder.

mlm=True is the default. A decoder is trained on the next token, and has no mask token.

Symptom: ValueError: This tokenizer does not have a mask token which is necessary for masked
Needs:   torch, transformers; cpu; about 8 s
Run:     python broken_no_mask.py; python fix_causal.py
"""
import json
import sys

try:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import DataCollatorForLanguageModeling, PreTrainedTokenizerFast
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

words = {word: number for number, word in enumerate(["<end>", "<pad>", "a", "good", "film"])}
backend = Tokenizer(models.WordLevel(words, unk_token="<end>"))
backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
texts = ["a film", "a good film"]

if __name__ == "__main__":
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, pad_token="<pad>")
    collator = DataCollatorForLanguageModeling(tokenizer)  # BUG: mlm=True is the default
    batch = collator([tokenizer(text) for text in texts])

    counted = (batch["labels"] != -100).sum(1).tolist()
    healthy = counted == [2, 3]

    print("OBSERVED", json.dumps({"healthy": healthy, "counted_by_text": counted}))
    sys.exit(0 if healthy else 1)
