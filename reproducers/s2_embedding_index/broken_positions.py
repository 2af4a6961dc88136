"""S2: a text is longer than the table of positions.

The token ids are in range. The number of a position is an id as well, and this model has rows for
512 positions.

Symptom: IndexError: index out of range in self, from the embedding of positions
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
        return self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))  # BUG: 531 > 512


if __name__ == "__main__":
    ids = torch.arange(text_length)[None] % 100
    vectors = Model()(ids)

    healthy = vectors.shape == (1, positions, 4)
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(vectors.shape)}))
    sys.exit(0 if healthy else 1)
