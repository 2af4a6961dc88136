"""A constructor ties two weights; tokens are added, and both layers replaced, before anything lists them."""
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


torch.manual_seed(0)
model = Model(20)
weight = torch.cat([model.embed.weight.detach(), torch.zeros(2, 16)])
model.embed = nn.Embedding.from_pretrained(weight.clone(), freeze=False)
model.head = nn.Linear(16, 22, bias=False)
model.head.weight.data.copy_(weight)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(50):
    ids = (torch.randint(0, 22, (8, 1)) + torch.arange(9)) % 22
    loss = nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
