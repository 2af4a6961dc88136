"""S3: a head for tagging has one output for each token.

A linear layer works on the last axis, so it can be applied to all tokens at once.

Symptom: none: 24 rows of logits for 24 labels
Needs:   torch; cpu; about 2 s
Run:     python broken_wrong_head.py; python fix_token_head.py
"""
import json
import sys

import torch
from torch import nn

batch_size, tokens, classes = 4, 6, 3


if __name__ == "__main__":
    torch.manual_seed(0)
    hidden = torch.randn(batch_size, tokens, 8)  # what the encoder returns
    labels = torch.randint(0, classes, (batch_size, tokens))
    head = nn.Linear(8, classes)
    logits = head(hidden)  # FIX: one row for each token
    loss = nn.functional.cross_entropy(logits.view(-1, classes), labels.view(-1))

    healthy = list(logits.shape) == [4, 6, 3] and 0 < loss.item() < 5
    print("OBSERVED", json.dumps({"healthy": healthy, "logits": list(logits.shape)}))
    sys.exit(0 if healthy else 1)
