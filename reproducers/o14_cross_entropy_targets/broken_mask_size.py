"""O14: the mask has another size than the output.

The image was resized, the mask was not. The loss compares them position by position.

Symptom: RuntimeError: size mismatch (got input: [2, 2, 4, 4] , target: [2, 8, 8]
Needs:   torch; cpu; about 2 s
Run:     python broken_mask_size.py; python fix_mask_size.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
logits = torch.randn(2, 2, 4, 4)  # the model has seen images of 4 x 4
masks = torch.randint(0, 2, (2, 8, 8))  # BUG: still of the size of the files

if __name__ == "__main__":
    loss = nn.CrossEntropyLoss()(logits, masks)

    by_hand = -torch.log_softmax(logits, 1).gather(1, masks.unsqueeze(1)).mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4)}))
    sys.exit(0 if healthy else 1)
