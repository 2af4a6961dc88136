"""S1: recurrent, norm and attention layers are built for the width that comes in.

The last axis of the data gives the number. A grey image gets a batch and a channel axis.

Symptom: none: each layer accepts its input
Needs:   torch; cpu; about 2 s
Run:     python fix_width_of_data.py
"""
import json
import sys

import torch
from torch import nn

if __name__ == "__main__":
    torch.manual_seed(0)
    readings = torch.randn(4, 24, 10)  # series, hours, columns
    lstm = nn.LSTM(input_size=readings.shape[-1], hidden_size=16, batch_first=True)  # FIX
    outputs, _ = lstm(readings)

    encoder = nn.Linear(32, 512)
    norm = nn.LayerNorm(encoder.out_features)  # FIX: the width of this encoder
    normed = norm(encoder(torch.randn(2, 4, 32)))

    tokens = torch.randn(3, 2, 10)  # tokens, texts, width
    attention = nn.MultiheadAttention(embed_dim=tokens.shape[-1], num_heads=2)  # FIX
    mixed, _ = attention(tokens, tokens, tokens)

    image = torch.rand(28, 28)
    conv = nn.Conv2d(1, 4, 3)
    maps = conv(image[None, None])  # FIX: (1, 1, 28, 28)

    shapes = [list(x.shape) for x in (outputs, normed, mixed, maps)]
    healthy = shapes == [[4, 24, 16], [2, 4, 512], [3, 2, 10], [1, 4, 26, 26]]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": [str(x) for x in shapes]}))
    sys.exit(0 if healthy else 1)
