"""Adapters in checkpointed blocks behind a frozen embedding get no gradient."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Adapted(nn.Module):
    def __init__(self, width, rank=2):
        super().__init__()
        self.base = nn.Linear(width, width)
        self.base.requires_grad_(False)
        self.down, self.up = nn.Linear(width, rank, bias=False), nn.Linear(rank, width, bias=False)

    def forward(self, x):
        return x + torch.tanh(self.base(x) + self.up(self.down(x)))


class Tagger(nn.Module):
    def __init__(self, input_grads=False):
        super().__init__()
        self.embed = nn.Embedding(50, 16)
        self.embed.requires_grad_(False)
        self.input_grads = input_grads
        self.layers = nn.ModuleList(Adapted(16) for _ in range(3))
        self.head = nn.Linear(16, 5)

    def forward(self, tokens):
        x = self.embed(tokens)
        if self.input_grads:
            x.requires_grad_(True)
        for layer in self.layers:
            x = checkpoint(self.run(layer), x)
        return self.head(x)

    def run(self, layer):
        def forward(*inputs):
            return layer(*inputs)

        return forward


def main(input_grads=False):
    torch.manual_seed(0)
    model = Tagger(input_grads)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    for _ in range(8):
        tokens = torch.randint(50, (8, 12))
        loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten() % 5)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(model(tokens).argmax(-1).float().mean())


if __name__ == "__main__":
    main()
