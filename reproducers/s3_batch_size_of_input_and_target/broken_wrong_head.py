"""S3: the model has one output for each sentence, and the labels are one for each token.

A head for sequence classification pools over the tokens. Labels for tagging have one number for
each token.

Symptom: ValueError: Expected input batch_size (4) to match target batch_size (24).
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
    logits = head(hidden.mean(1))  # BUG: one row for each sentence
    loss = nn.functional.cross_entropy(logits.view(-1, classes), labels.view(-1))

    healthy = list(logits.shape) == [4, 6, 3] and 0 < loss.item() < 5
    print("OBSERVED", json.dumps({"healthy": healthy, "logits": list(logits.shape)}))
    sys.exit(0 if healthy else 1)
