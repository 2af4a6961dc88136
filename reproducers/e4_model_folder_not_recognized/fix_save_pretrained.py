"""E4: save_pretrained() writes the config and the weights under the names that are looked for.

Give the folder of one checkpoint to from_pretrained(), not the folder above it.

Symptom: none: the loaded weights are the saved ones
Needs:   torch, transformers; cpu; about 10 s
Run:     python broken_no_weights.py; python fix_save_pretrained.py
"""
import json
import sys
import tempfile

import torch

try:
    from transformers import BertConfig, BertModel
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

small = BertConfig(vocab_size=8, hidden_size=8, num_hidden_layers=1, num_attention_heads=1,
                   intermediate_size=8)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        saved = BertModel(small)
        saved.save_pretrained(folder)  # FIX: config and weights
        loaded = BertModel.from_pretrained(folder)

    name = "embeddings.word_embeddings.weight"
    healthy = torch.equal(saved.state_dict()[name], loaded.state_dict()[name])

    print("OBSERVED", json.dumps({"healthy": healthy, "same_weights": healthy}))
    sys.exit(0 if healthy else 1)
