"""L6: the tokenizer gets a chat template, which ends each message with the end token.

save_pretrained() stores it with the tokenizer. Train and generate with the same one.

Symptom: none: the message and its end
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
    tokenizer.chat_template = "{% for m in messages %}{{ m.content + ' <end>' }}{% endfor %}"  # FIX
    text = tokenizer.apply_chat_template(messages, tokenize=False)

    healthy = text == "a good film <end>"

    print("OBSERVED", json.dumps({"healthy": healthy, "text": text}))
    sys.exit(0 if healthy else 1)
