"""O15: dividing by an empty mask makes the loss nan.

If the mask of a batch is all zeros, the sum and the count are both 0. The loss is nan, and one step
spreads it to every weight.

Symptom: one batch without a counted token gives 0 / 0, and every weight is nan from then on
Needs:   torch; cpu; about 2 s
Run:     python trap_empty_mask.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
masks = [[1, 1, 0], [0, 0, 0], [1, 0, 0]]  # the second batch has nothing to learn


if __name__ == "__main__":
    losses = []
    for mask in torch.tensor(masks, dtype=torch.float32):
        logits, labels = model(torch.randn(3, 8)), torch.randint(5, (3,))
        loss = nn.functional.cross_entropy(logits, labels, reduction="none")
        loss = (loss * mask).sum() / mask.sum()  # BUG: 0 / 0; use mask.sum().clamp(min=1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(str(round(loss.item(), 3)))

    finite = all(bool(torch.isfinite(p).all()) for p in model.parameters())
    healthy = finite and "nan" not in losses
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_by_batch": losses,
                                  "weights_are_finite": finite}))
    sys.exit(0 if healthy else 1)
