"""L6: messages of a chat, and a tokenizer without a chat template.

Base models have none. From transformers 4.44 on, there is no default template any more.

Symptom: ValueError: Cannot use chat template functions because tokenizer.chat_template is not set
Needs:   torch, transformers; cpu; about 8 s
Run:     python broken_no_template.py; python fix_template.py
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

messages = [{"role": "user", "content": "a good film"}]

if __name__ == "__main__":
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<end>")
    text = tokenizer.apply_chat_template(messages, tokenize=False)  # BUG: no template

    healthy = text == "a good film <end>"

    print("OBSERVED", json.dumps({"healthy": healthy, "text": text}))
    sys.exit(0 if healthy else 1)
