"""O37: DataParallel joins a number of each GPU to a vector, here of 8.

A model returns a scale or a loss as one number. DataParallel joins outputs along axis 0, so the
loop gets a number for each GPU, and a loss of this kind needs mean() before backward().

Symptom: The size of tensor a (8) must match the size of tensor b (16), with 8 GPUs
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
        logits = logit_scale * images @ texts.t()  # BUG: a number for each GPU
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
