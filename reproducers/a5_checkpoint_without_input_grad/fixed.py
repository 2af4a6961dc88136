"""A5: with use_reentrant=False the checkpointed blocks keep their graph.

The non-reentrant checkpoint records the block as autograd does, whether or not an input requires
a gradient.

Symptom: none: all 4 LoRA weights move
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

steps = 10


class Block(nn.Module):
    """A frozen layer with a LoRA beside it."""

    def __init__(self):
        super().__init__()
        self.base = nn.Linear(8, 8).requires_grad_(False)
        self.lora_a = nn.Linear(8, 2, bias=False)
        self.lora_b = nn.Linear(2, 8, bias=False)

    def forward(self, x):
        return x + torch.tanh(self.base(x) + self.lora_b(self.lora_a(x)))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 8).requires_grad_(False)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(8, 10)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)  # FIX: looks at parameters as well
        return self.head(x)


def train(model):
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.5)
    tokens = torch.arange(10)
    losses = []
    for _ in range(steps):
        loss = nn.functional.cross_entropy(model(tokens), tokens.flip(0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Model()
    before = [p.clone() for p in model.blocks.parameters() if p.requires_grad]
    losses = train(model)
    after = [p for p in model.blocks.parameters() if p.requires_grad]
    moved = sum(not torch.equal(a, b) for a, b in zip(before, after))

    healthy = moved == len(before) and losses[-1] < losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "lora_weights_moved": moved,
                                  "lora_weights": len(before),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
