"""O14: squeeze() on the logits also removes the batch axis of a batch of one.

The output has a last axis of length 1. squeeze() removes it, and in a batch of one sample the first
axis as well: the classes are taken for the batch.

Symptom: ValueError: Expected input batch_size (3) to match target batch_size (1).
Needs:   torch; cpu; about 2 s
Run:     python broken_squeeze_logits.py; python fix_squeeze_logits.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
outputs = torch.randn(4, 3, 5, 1)  # (batch, classes, time, 1)
labels = torch.randint(3, (4, 5))

if __name__ == "__main__":
    losses = []
    for start in (0, 3):  # batches of 3 and of 1
        logits = outputs[start:start + 3].squeeze()  # BUG: (1, 3, 5, 1) becomes (3, 5)
        losses.append(nn.CrossEntropyLoss(reduction="sum")(logits, labels[start:start + 3]))
    loss = sum(losses) / labels.numel()

    log_probabilities = torch.log_softmax(outputs[:, :, :, 0], 1)
    by_hand = -log_probabilities.gather(1, labels.unsqueeze(1)).mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4)}))
    sys.exit(0 if healthy else 1)
