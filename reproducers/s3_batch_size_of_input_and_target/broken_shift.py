"""S3: the logits are shifted for next-token prediction, and the labels are not.

The last position has no next token, so it is cut from the logits. The first label has to be cut as
well.

Symptom: ValueError: Expected input batch_size (20) to match target batch_size (24).
Needs:   torch; cpu; about 2 s
Run:     python broken_shift.py; python fix_shift.py
"""
import json
import sys

import torch
from torch import nn

batch_size, tokens, vocabulary = 4, 6, 10


if __name__ == "__main__":
    ids = torch.arange(batch_size * tokens).reshape(batch_size, tokens) % vocabulary
    next_id = (ids + 1) % vocabulary
    logits = nn.functional.one_hot(next_id, vocabulary) * 50.0  # a perfect prediction
    shifted, labels = logits[:, :-1], ids  # BUG: the labels are not shifted
    loss = nn.functional.cross_entropy(shifted.reshape(-1, vocabulary), labels.reshape(-1))

    healthy = len(labels) == batch_size and loss.item() < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4)}))
    sys.exit(0 if healthy else 1)
