import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop, self.out = nn.Dropout(0.1), nn.Linear(8, 8)

    def forward(self, x):
        return self.out(self.drop(x))


decoder = Decoder()
optimizer = torch.optim.Adam(decoder.parameters())


def train(batches):
    for x, y in batches:
        optimizer.zero_grad()
        nn.functional.mse_loss(decoder(x), y).backward()
        optimizer.step()


def evaluate(x, steps):  # BUG
    words = []
    for _ in range(steps):
        x = decoder(x)
        words.append(x.data.topk(1)[1])
    return words
