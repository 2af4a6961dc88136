import torch
from torch import nn


class Recurrent(nn.Module):
    """Nothing in it depends on the mode."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(8, 8)

    def forward(self, x):
        return self.rnn(x)[0]


def monte_carlo_dropout(path, build, clip):
    model = build()
    model.load_state_dict(torch.load(path))
    model.train()
    with torch.no_grad():
        return torch.stack([model(clip) for _ in range(20)]).mean(0)


def fit(loader, test_loader, optimizer, epochs):
    model = Recurrent()
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            for x, _ in test_loader:
                print(model(x).mean())
