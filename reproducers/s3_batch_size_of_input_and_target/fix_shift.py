"""S3: logits and labels are both shifted for next-token prediction.

Position 0 predicts token 1, so the last position and the first label are cut.

Symptom: none: the loss of a perfect prediction is 0
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
    shifted, labels = logits[:, :-1], ids[:, 1:]  # FIX: both
    loss = nn.functional.cross_entropy(shifted.reshape(-1, vocabulary), labels.reshape(-1))

    healthy = len(labels) == batch_size and loss.item() < 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4)}))
    sys.exit(0 if healthy else 1)
