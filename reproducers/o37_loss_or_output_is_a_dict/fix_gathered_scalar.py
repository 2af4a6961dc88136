"""O37: the numbers of the 8 GPUs are averaged before they are used.

The scale is the same on each GPU, so the mean is the scale. For a loss, it is the loss of the
whole batch.

Symptom: none: the loss falls
Needs:   torch; cpu; about 2 s
Run:     python broken_gathered_scalar.py; python fix_gathered_scalar.py
"""
import json
import sys

import torch
from torch import nn


class Pairs(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(12, 16), nn.Linear(12, 16)
        self.logit_scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        return self.image(x), self.text(x), self.logit_scale.exp()


def data_parallel(model, x, gpus=8):
    """What nn.DataParallel does on GPUs: the outputs of all replicas are joined along axis 0."""
    outputs = [model(part) for part in x.chunk(gpus)]
    return [torch.cat([torch.atleast_1d(part) for part in parts]) for parts in zip(*outputs)]


torch.manual_seed(0)
model = Pairs()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, labels = torch.randn(32, 12), torch.arange(32)

if __name__ == "__main__":
    print("DataParallel, 8 replicas", file=sys.stderr)
    losses = []
    for _ in range(20):
        images, texts, logit_scale = data_parallel(model, x)
        logits = logit_scale.mean() * images @ texts.t()  # FIX
        loss = nn.functional.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = logit_scale.shape == (8,) and losses[-1] < 0.5 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "scales": logit_scale.numel(),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
