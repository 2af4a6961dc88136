"""S2: a text is longer than the buffer with position numbers.

Models from transformers keep the numbers 0 .. 511 in a buffer and cut it to the length of the
text. A longer text gets the whole buffer, which then does not fit.

Symptom: The expanded size of the tensor (531) must match the existing size (512)
Needs:   torch; cpu; about 2 s
Run:     python broken_position_buffer.py; python fix_truncate.py
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
        self.register_buffer("position_ids", torch.arange(positions)[None])

    def forward(self, ids):
        numbers = self.position_ids[:, :ids.shape[1]].expand(*ids.shape)  # BUG: 531 > 512
        return self.tokens(ids) + self.positions(numbers)


if __name__ == "__main__":
    ids = torch.arange(text_length)[None] % 100
    vectors = Model()(ids)

    healthy = vectors.shape == (1, positions, 4)
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(vectors.shape)}))
    sys.exit(0 if healthy else 1)
