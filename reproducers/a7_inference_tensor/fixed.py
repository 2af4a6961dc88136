"""A7: with no_grad the evaluation makes ordinary tensors, and training can use them.

no_grad records no graph either.

Symptom: none: the layer has gradients
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

if not hasattr(torch, "inference_mode"):
    print("SKIPPED torch 1.9 or newer is needed for inference_mode")
    sys.exit(77)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.layer = nn.Linear(8, 8), nn.Linear(8, 8)
        self.positions = None

    def forward(self, x):
        if self.positions is None:
            self.positions = torch.arange(x.shape[1]) / 10.0  # kept for later calls
        return self.layer(self.embed(x) * self.positions)


@torch.no_grad()  # FIX: what forward() keeps is an ordinary tensor
def evaluate(model, x):
    return model(x).mean().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    model, x = Net(), torch.randn(4, 8)
    evaluate(model, x)  # before training, for a first score
    model(x).mean().backward()

    moved = int((model.layer.weight.grad != 0).sum())
    healthy = moved > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "gradients": moved}))
    sys.exit(0 if healthy else 1)
