"""An LSTM whose state goes on from part to part of a text, without a DataLoader."""

import os
import sys

import torch
from torch import nn

torch.manual_seed(0)
text = torch.randint(20, (4, 601))
embedding, lstm, head = nn.Embedding(20, 8), nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 20)
model = nn.ModuleList([embedding, lstm, head])
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
state, start = None, 0
if "--resume" in sys.argv:
    saved = torch.load("last.pt")
    model.load_state_dict(saved["model"])
    state, start = saved["state"], saved["start"]
for place in range(start, 600, 15):
    output, state = lstm(embedding(text[:, place : place + 15]), state)
    loss = nn.functional.cross_entropy(head(output).flatten(0, 1), text[:, place + 1 : place + 16].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    state = tuple(part.detach() for part in state)
    torch.save({"model": model.state_dict(), "state": state, "start": place + 15}, "last.pt")
    if "--stop" in sys.argv and place == 300:
        os._exit(0)
