"""S11: the loss of each token is multiplied by a mask that was shifted in the same way.

The last token has no target: the loss has 5 columns, and so has the mask from its second one on.

Symptom: none: the two have one shape
Needs:   torch; cpu; about 2 s
Run:     python broken_sizes.py; python fix_sizes.py; diff broken_sizes.py fix_sizes.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    torch.manual_seed(0)
    tokens, mask = torch.randint(10, (2, 6)), torch.ones(2, 6)
    logits = torch.randn(2, 6, 10)
    criterion = nn.CrossEntropyLoss(reduction="none")
    losses = criterion(logits[:, :-1].transpose(1, 2), tokens[:, 1:])
    kept = losses * mask[:, 1:]  # FIX: the mask of the targets

    healthy = kept.shape == losses.shape
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
