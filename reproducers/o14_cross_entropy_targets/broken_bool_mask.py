"""O14: CrossEntropyLoss refuses a mask of bools.

A comparison such as `mask > 127` gives bools. The loss wants class numbers as int64.

Symptom: RuntimeError: expected target dtype to be Long or Byte, but got Bool (2.8 and older:
         expected scalar type Long but found Bool)
Needs:   torch; cpu; about 2 s
Run:     python broken_bool_mask.py; python fix_ignore_value.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
logits = torch.randn(2, 2, 4, 4)
image = torch.randint(0, 2, (2, 4, 4)) * 255  # a mask file: 0 and 255

if __name__ == "__main__":
    mask = image > 127  # BUG: bool; (image > 127).long() is int64
    loss = nn.CrossEntropyLoss()(logits, mask)

    by_hand = -torch.log_softmax(logits, 1).gather(1, mask.long().unsqueeze(1)).mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4)}))
    sys.exit(0 if healthy else 1)
