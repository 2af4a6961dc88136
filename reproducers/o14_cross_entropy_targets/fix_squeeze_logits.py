"""O14: squeeze(3) on the logits keeps the batch axis of a batch of one.

squeeze() with the number of an axis removes only that axis.

Symptom: none: the loss is the one that the formula gives
Needs:   torch; cpu; about 2 s
Run:     python fix_squeeze_logits.py
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
        logits = outputs[start:start + 3].squeeze(3)  # FIX: only the last axis
        losses.append(nn.CrossEntropyLoss(reduction="sum")(logits, labels[start:start + 3]))
    loss = sum(losses) / labels.numel()

    log_probabilities = torch.log_softmax(outputs[:, :, :, 0], 1)
    by_hand = -log_probabilities.gather(1, labels.unsqueeze(1)).mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4)}))
    sys.exit(0 if healthy else 1)
