"""A tagger with a loss by hand: the mean of each row is over its words only."""
import torch
from torch import nn

torch.manual_seed(0)
embedding, cell, out = nn.Embedding(30, 16), nn.GRU(16, 16, batch_first=True), nn.Linear(16, 4)
optimizer = torch.optim.Adam([*embedding.parameters(), *cell.parameters(), *out.parameters()], lr=1e-2)
for _ in range(12):
    lengths = torch.randint(4, 20, (8,))
    words = torch.randint(1, 30, (8, 20)).masked_fill(torch.arange(20)[None] >= lengths[:, None], 0)
    scores = out(cell(embedding(words))[0]).log_softmax(-1)
    losses = -scores.gather(-1, (words % 4)[..., None])[..., 0]
    loss = (losses.masked_fill(words == 0, 0).sum(dim=1) / lengths).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
