import torch
from torch import nn

rnn, head = nn.LSTM(8, 16), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()])


def train_text(chunks, hidden):
    for x, y in chunks:
        output, hidden = rnn(x, hidden)  # BUG
        loss = (head(output) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_twice(x, y):
    loss = (head(x) - y).pow(2).mean()
    loss.backward()
    loss.backward()  # BUG
    optimizer.step()
