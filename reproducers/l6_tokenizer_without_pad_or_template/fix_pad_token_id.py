"""L6: the config of the model has the number of the pad token.

For a loaded model, set model.config.pad_token_id = tokenizer.pad_token_id.

Symptom: none: two texts get two scores each
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
    model = build_model(None)
    model.config.pad_token_id = tokenizer.pad_token_id  # FIX: as in the tokenizer
    scores = model(input_ids=batch["input_ids"]).logits

    healthy = scores.shape == torch.Size([2, 2])

    print("OBSERVED", json.dumps({"healthy": healthy, "texts_and_classes": list(scores.shape)}))
    sys.exit(0 if healthy else 1)
