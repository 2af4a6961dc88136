"""Sequences of events without padding, which often repeat their last event."""
import torch
from torch import nn

torch.manual_seed(0)
follows = torch.randint(40, (40,))
follows[::3] = torch.arange(40)[::3]  # some events are repeated until the end
events, out = nn.Embedding(40, 16), nn.Linear(16, 40)
optimizer = torch.optim.SGD([*events.parameters(), *out.parameters()], lr=0.1)
for step in range(12):
    columns = [torch.randint(40, (64,))]
    for _ in range(11):
        columns.append(torch.where(torch.rand(64) < 0.9, follows[columns[-1]], torch.randint(40, (64,))))
    batch = torch.stack(columns, 1)
    scores = out(events(batch[:, :-1]))
    loss = nn.functional.cross_entropy(scores.flatten(0, 1), batch[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
