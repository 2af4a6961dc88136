"""S2: the embedding gets a row for each added token and keeps the trained rows.

A larger embedding is made, the trained rows are copied, and the new rows start from their mean
with a little noise, so that they differ.

Symptom: none: 4 tokens have 4 different vectors, and the 4 trained rows are kept
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

vocabulary = ["<pad>", "a", "cat", "sat"]
added = ["<image>", "<sep>"]


def with_rows(embedding, rows):
    """The same embedding with more rows."""
    old, mean = embedding.weight.detach(), embedding.weight.detach().mean(0)
    new = mean + 0.02 * torch.randn(rows - len(old), old.shape[1])
    return nn.Embedding.from_pretrained(torch.cat([old, new]), freeze=False)


if __name__ == "__main__":
    torch.manual_seed(0)
    embedding = nn.Embedding(len(vocabulary), 3)  # as the checkpoint has it
    trained = embedding.weight.detach().clone()
    vocabulary += added
    embedding = with_rows(embedding, len(vocabulary))  # FIX: before the optimizer is built
    ids = torch.tensor([vocabulary.index(word) for word in ["<image>", "a", "cat", "<sep>"]])
    vectors = embedding(ids)

    distinct = len(set(map(tuple, vectors.tolist())))
    kept = torch.equal(embedding.weight[:len(trained)], trained)
    healthy = distinct == len(ids) and kept
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_vectors": distinct,
                                  "ids": ids.tolist()}))
    sys.exit(0 if healthy else 1)
