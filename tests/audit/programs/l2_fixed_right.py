"""Texts with a separate end token, padded to one width: the longest leave one place."""
import torch
from torch import nn

PAD, EOS, WIDTH = 0, 1, 10


def batch(rows=8):
    ids = torch.full((rows, WIDTH), PAD)
    for row in ids:
        length = int(torch.randint(3, WIDTH - 1, (1,)))
        row[:length] = torch.randint(2, 30, (length,))
        row[length] = EOS
    ids[0, :WIDTH - 1] = torch.cat([torch.randint(2, 30, (WIDTH - 2,)), torch.tensor([EOS])])
    return ids[:, :-1], ids[:, 1:].masked_fill(ids[:, 1:] == PAD, -100)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 24)
        self.rnn = nn.GRU(24, 24, batch_first=True)
        self.head = nn.Linear(24, 30)

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0])


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(20):
    ids, labels = batch()
    loss = nn.functional.cross_entropy(model(ids).transpose(1, 2), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
