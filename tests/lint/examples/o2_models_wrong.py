import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 4)

    def forward(self, x):
        return self.layer(x)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 8)

    def forward(self, x):
        return self.layer(x)


def train(loader):
    encoder = Encoder()
    decoder = Decoder()
    optimizer = torch.optim.Adam(encoder.parameters())  # BUG: not those of the decoder
    for x in loader:
        loss = torch.nn.functional.mse_loss(decoder(encoder(x)), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Trainer:
    def __init__(self, model):
        self.model = model

    def resume(self):
        state = torch.load("checkpoint.pth", weights_only=False)
        self.model.load_state_dict(state["model"])
        self.optimizer = state["optimizer"]  # BUG: an object with its own parameters

    def step(self, x, y):
        self.optimizer.zero_grad()
        torch.nn.functional.l1_loss(self.model(x), y).backward()
        self.optimizer.step()
