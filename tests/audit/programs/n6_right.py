"""An embedding is enlarged and tied again."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.head = nn.Linear(8, 20, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        return self.head(self.embedding(tokens))


def train(model, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        tokens = torch.randint(20, (16,))
        loss = nn.functional.cross_entropy(model(tokens[:-1]), tokens[1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Model()
    train(model, 5)
    larger = nn.Embedding(24, 8)
    larger.weight.data[:20] = model.embedding.weight.data
    model.embedding = larger
    model.head.weight = larger.weight
    train(model, 5)
