"""S12: the heads of an attention layer are joined with reshape() after a transpose.

reshape() copies the numbers into a new order, since no view can have the new shape.

Symptom: none: the last token changes only its own output
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

heads = 4


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x):
        batch, tokens, width = x.shape
        qkv = self.qkv(x).reshape(batch, tokens, 3, heads, width // heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-2, -1)).masked_fill(torch.ones(tokens, tokens).triu(1) > 0, -1e9)
        mixed = scores.softmax(-1) @ v
        return mixed.transpose(1, 2).reshape(batch, tokens, width)  # FIX: copies if it must


if __name__ == "__main__":
    torch.manual_seed(0)
    model, x = Attention(16), torch.randn(2, 5, 16)
    changed = x.clone()
    changed[:, 4] += 1  # the last token, which no other token may look at
    moved = (model(changed) - model(x)).abs().amax((0, 2)) > 1e-6

    healthy = moved.tolist() == [False, False, False, False, True]
    print("OBSERVED", json.dumps({"healthy": healthy, "tokens_that_move": int(moved.sum())}))
    sys.exit(0 if healthy else 1)
