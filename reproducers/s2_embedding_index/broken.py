"""S2: added tokens have ids that the embedding has no row for.

The embedding of the checkpoint has 4 rows. After two tokens were added to the vocabulary, ids go
up to 5, and an embedding looks ids up as row numbers.

Symptom: IndexError: index out of range in self
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
    print("tokens", len(vocabulary), "rows", embedding.num_embeddings)  # BUG: 6 and 4
    ids = torch.tensor([vocabulary.index(word) for word in ["<image>", "a", "cat", "<sep>"]])
    vectors = embedding(ids)

    distinct = len(set(map(tuple, vectors.tolist())))
    kept = torch.equal(embedding.weight[:len(trained)], trained)
    healthy = distinct == len(ids) and kept
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_vectors": distinct,
                                  "ids": ids.tolist()}))
    sys.exit(0 if healthy else 1)
