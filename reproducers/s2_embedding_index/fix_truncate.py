"""S2: texts are cut to the number of positions.

With a tokenizer from transformers this is truncation=True and max_length=positions.

Symptom: none: 512 of 531 tokens are used
Needs:   torch; cpu; about 2 s
Run:     python broken_positions.py; python fix_truncate.py
"""
import json
import sys

import torch
from torch import nn

positions = 512
text_length = 531


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(100, 4)
        self.positions = nn.Embedding(positions, 4)

    def forward(self, ids):
        return self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))


if __name__ == "__main__":
    ids = torch.arange(text_length)[None] % 100
    ids = ids[:, :positions]  # FIX: what the table of positions has room for
    vectors = Model()(ids)

    healthy = vectors.shape == (1, positions, 4)
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(vectors.shape)}))
    sys.exit(0 if healthy else 1)
