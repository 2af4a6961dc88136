"""Trains on a device whose values cannot be read without waiting, as those of a GPU. meta has no values."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(4 * 14 * 14, 5)).to("meta")
embedding, out = nn.Embedding(50, 8).to("meta"), nn.Linear(8, 50).to("meta")
optimizer = torch.optim.SGD([*model.parameters(), *embedding.parameters(), *out.parameters()], lr=0.1)
for step in range(12):
    images, labels = torch.rand(8, 3, 16, 16).to("meta"), torch.randint(5, (8,)).to("meta")
    tokens = torch.randint(50, (8, 6)).to("meta")
    loss = nn.functional.cross_entropy(model(images), labels) + nn.functional.cross_entropy(
        out(embedding(tokens[:, :-1])).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
