"""O14: a mask that is resized like its image, to the nearest pixel.

Any other interpolation would make class numbers that no pixel had.

Symptom: none: only the class numbers of the file, in the size of the output
Needs:   torch; cpu; about 2 s
Run:     python fix_mask_size.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
logits = torch.randn(2, 2, 4, 4)
masks = torch.randint(0, 2, (2, 8, 8))

if __name__ == "__main__":
    small = nn.functional.interpolate(  # FIX: the size of the output, the nearest pixel
        masks.unsqueeze(1).float(), size=logits.shape[2:], mode="nearest").squeeze(1).long()
    loss = nn.CrossEntropyLoss()(logits, small)

    by_hand = -torch.log_softmax(logits, 1).gather(1, masks[:, ::2, ::2].unsqueeze(1)).mean()
    healthy = torch.allclose(loss, by_hand)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "by_hand": round(by_hand.item(), 4)}))
    sys.exit(0 if healthy else 1)
