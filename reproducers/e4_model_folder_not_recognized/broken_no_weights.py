"""E4: the folder has a config, and its weights have a name of the user's own.

from_pretrained() looks for model.safetensors and pytorch_model.bin, or their index files.

Symptom: OSError: Error no file named model.safetensors, or pytorch_model.bin, found in directory
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
        small.save_pretrained(folder)
        torch.save(saved.state_dict(), f"{folder}/model.pt")  # BUG: a name of one's own
        loaded = BertModel.from_pretrained(folder)

    name = "embeddings.word_embeddings.weight"
    healthy = torch.equal(saved.state_dict()[name], loaded.state_dict()[name])

    print("OBSERVED", json.dumps({"healthy": healthy, "same_weights": healthy}))
    sys.exit(0 if healthy else 1)
