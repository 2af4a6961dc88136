"""S1: an attention layer was built for 8 features, and 10 come in.

embed_dim must be the size of the last axis. torch 1.8 raises an AssertionError without a message.

Symptom: AssertionError: was expecting embedding dimension of 8, but got 10
Needs:   torch; cpu; about 2 s
Run:     python broken_attention_width.py; python fix_width_of_data.py
"""
import json
import sys

import torch
from torch import nn

if __name__ == "__main__":
    torch.manual_seed(0)
    tokens = torch.randn(3, 2, 10)  # tokens, texts, width
    attention = nn.MultiheadAttention(embed_dim=8, num_heads=2)  # BUG: the width is 10
    outputs, _ = attention(tokens, tokens, tokens)

    healthy = list(outputs.shape) == [3, 2, 10]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(outputs.shape)}))
    sys.exit(0 if healthy else 1)
