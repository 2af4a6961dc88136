"""O15: a check that pads a batch further finds a loss that depends on padding.

The check pads a batch to three times its width, with a mask of zeros for the new positions. The
loss must not change.

Symptom: none: the check accepts two of four losses and rejects the two that count the padding
Needs:   torch; cpu; about 2 s
Run:     python fix_check_by_padding.py
"""
import json
import sys

import torch
from torch import nn


def depends_on_padding(loss_of, logits, targets, mask, pad_label=0):
    """Whether padding a batch (batch, time, classes) to three times its width changes the loss."""
    more = 2 * logits.shape[1]
    wider = nn.functional.pad(logits, (0, 0, 0, more))  # FIX: the same tokens, more padding
    wider_targets = nn.functional.pad(targets, (0, more), value=pad_label)
    wider_mask = nn.functional.pad(mask, (0, more))
    return not torch.allclose(loss_of(logits, targets, mask),
                              loss_of(wider, wider_targets, wider_mask))


def over_counted(logits, targets, mask):
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    return (loss * mask).sum() / mask.sum().clamp(min=1)


def over_all(logits, targets, mask):
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    return (loss * mask).mean()  # dpkb: ignore[O15]


def without_mask(logits, targets, mask):
    return nn.functional.cross_entropy(logits.transpose(1, 2), targets)


torch.manual_seed(0)
logits, targets = torch.randn(4, 6, 5), torch.randint(5, (4, 6))
lengths = torch.tensor([6, 4, 3, 1])
mask = (torch.arange(6) < lengths[:, None]).float()

if __name__ == "__main__":
    found = {loss_of.__name__: depends_on_padding(loss_of, logits, targets, mask)
             for loss_of in (over_counted, over_all, without_mask)}
    found["ignore_index"] = depends_on_padding(without_mask, logits,
                                               targets.masked_fill(mask == 0, -100), mask, -100)
    healthy = found == {"over_counted": False, "over_all": True, "without_mask": True,
                        "ignore_index": False}
    print("OBSERVED", json.dumps({"healthy": healthy, "depends_on_padding_by_loss": found}))
    sys.exit(0 if healthy else 1)
