import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 8, num_layers=2, dropout=0.5)

    def forward(self, x):
        return self.lstm(x)[0]


def tag(path, clip):
    model = Tagger()
    model.load_state_dict(torch.load(path))
    model.train()  # BUG
    with torch.no_grad():
        return model(clip)
