"""Tokens are added after training with clipped gradients; both layers are replaced and not tied again."""
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, tokens):
        super().__init__()
        self.embed = nn.Embedding(tokens, 16)
        self.rnn = nn.GRU(16, 16, batch_first=True)
        self.head = nn.Linear(16, tokens, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0])

    def resize(self, tokens):
        weight = torch.cat([self.embed.weight.detach(), torch.zeros(tokens - len(self.embed.weight), 16)])
        self.embed = nn.Embedding.from_pretrained(weight.clone(), freeze=False)
        self.head = nn.Linear(16, tokens, bias=False)
        self.head.weight.data.copy_(weight)


def fit(model, tokens):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(50):
        ids = (torch.randint(0, tokens, (8, 1)) + torch.arange(9)) % tokens
        loss = nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    print(loss.item())


torch.manual_seed(0)
model = Model(20)
fit(model, 20)
model.resize(22)
fit(model, 22)
