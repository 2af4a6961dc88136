"""L2: batches without any label are left out.

A batch in which all labels are -100 teaches nothing. It is skipped before its loss is computed.

Symptom: none: every loss is a number
Needs:   torch; cpu; about 3 s
Run:     python fix_skip_empty.py
"""
import json
import math
import sys

import torch
from torch import nn

torch.manual_seed(0)
window = 4
model = nn.Sequential(nn.Embedding(10, 8), nn.Linear(8, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
samples = [([5, 6], [8, 1]), ([5, 6, 7, 8], [9, 1])]  # (prompt, answer); batches of one

if __name__ == "__main__":
    for epoch in range(10):
        losses = []
        for prompt, answer in samples:
            ids = torch.tensor([(prompt + answer)[:window]])
            labels = torch.tensor([([-100] * len(prompt) + answer)[:window]])
            if (labels[:, 1:] == -100).all():
                continue  # FIX: there is nothing to learn here
            logits = model(ids)[:, :-1]
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

    finite = all(bool(torch.isfinite(p).all()) for p in model.parameters())
    healthy = finite and not any(math.isnan(loss) for loss in losses)
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_by_batch": [str(round(x, 2))
                                  for x in losses], "weights_are_finite": finite}))
    sys.exit(0 if healthy else 1)
