"""L6: the tokenizer has a pad token, and the model does not know its number.

A classifier on a decoder looks for the last token that is not padding. With a batch of one it need
not look.

Symptom: ValueError: Cannot handle batch sizes > 1 if no padding token is defined.
Needs:   torch, transformers; cpu; about 8 s
Run:     python broken_batch_of_two.py; python fix_pad_token_id.py
"""
import json
import sys

import torch

try:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2ForSequenceClassification, PreTrainedTokenizerFast
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

words = {word: number for number, word in enumerate(["<end>", "<pad>", "a", "good", "film"])}
backend = Tokenizer(models.WordLevel(words, unk_token="<end>"))
backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
texts = ["a film", "a good film"]


def build_model(pad_token_id):
    config = GPT2Config(vocab_size=8, n_positions=8, n_embd=8, n_layer=1, n_head=1, bos_token_id=0,
                        eos_token_id=0, num_labels=2, pad_token_id=pad_token_id)
    return GPT2ForSequenceClassification(config)


if __name__ == "__main__":
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, pad_token="<pad>")
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    model = build_model(None)  # BUG: the number of the pad token is not in the config
    scores = model(input_ids=batch["input_ids"]).logits

    healthy = scores.shape == torch.Size([2, 2])

    print("OBSERVED", json.dumps({"healthy": healthy, "texts_and_classes": list(scores.shape)}))
    sys.exit(0 if healthy else 1)
