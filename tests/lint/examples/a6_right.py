import torch
from torch import nn

rnn, head = nn.LSTM(8, 16), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()])


def train_text(chunks, hidden):
    for x, y in chunks:
        hidden = tuple(state.detach() for state in hidden)
        output, hidden = rnn(x, hidden)
        loss = (head(output) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_twice(x, y):
    loss = (head(x) - y).pow(2).mean()
    loss.backward(retain_graph=True)
    loss.backward()
    loss = (head(x) - y).abs().mean()
    loss.backward()
    optimizer.step()


class Meter:
    def __init__(self):
        self.total = 0

    def add(self, x):
        self.total = self.total + x

    def backward(self):
        self.total.backward()
        self.total = 0


def train_with_meter(x, y):
    meter = Meter()
    meter.add(head(x).mean())
    meter.backward()
    meter.add(head(y).mean())
    meter.backward()
    optimizer.step()
