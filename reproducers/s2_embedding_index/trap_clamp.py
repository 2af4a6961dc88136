"""S2: clamp() gives all added tokens the vector of the last old one.

The ids are in range afterwards, and nothing is raised. Tokens that differ in the text are the
same to the model.

Symptom: 4 tokens have 3 different vectors
Needs:   torch; cpu; about 2 s
Run:     python trap_clamp.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

vocabulary = ["<pad>", "a", "cat", "sat"]
added = ["<image>", "<sep>"]


if __name__ == "__main__":
    torch.manual_seed(0)
    embedding = nn.Embedding(len(vocabulary), 3)  # as the checkpoint has it
    trained = embedding.weight.detach().clone()
    vocabulary += added
    ids = torch.tensor([vocabulary.index(word) for word in ["<image>", "a", "cat", "<sep>"]])
    vectors = embedding(ids.clamp(0, embedding.num_embeddings - 1))  # BUG: two ids become 3

    distinct = len(set(map(tuple, vectors.tolist())))
    kept = torch.equal(embedding.weight[:len(trained)], trained)
    healthy = distinct == len(ids) and kept
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_vectors": distinct,
                                  "ids": ids.tolist()}))
    sys.exit(0 if healthy else 1)
