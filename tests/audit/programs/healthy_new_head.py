"""A tied language model gets a head for three classes; another gets more tokens, and is tied again."""
import copy

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


def fit(model, targets_of, classes):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(40):
        ids = (torch.randint(0, 20, (8, 1)) + torch.arange(9)) % 20
        scores = model(ids[:, :-1])
        loss = nn.functional.cross_entropy(scores.reshape(-1, classes), targets_of(ids).flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


torch.manual_seed(0)
language_model = Model(20)
fit(language_model, lambda ids: ids[:, 1:], 20)
classifier = copy.deepcopy(language_model)
classifier.head = nn.Linear(16, 3)
fit(classifier, lambda ids: ids[:, :-1] % 3, 3)
# A larger vocabulary: both are replaced, and tied again.
grown = Model(20)
grown.embed, grown.head = nn.Embedding(24, 16), nn.Linear(16, 24, bias=False)
grown.head.weight = grown.embed.weight
fit(grown, lambda ids: ids[:, 1:], 24)
