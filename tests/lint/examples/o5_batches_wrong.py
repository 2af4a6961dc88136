import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 8, num_layers=2, dropout=0.5)

    def forward(self, x):
        return self.lstm(x)[0]


def evaluate(model, instances, batch_size):
    model.eval()
    tags = []
    for batch in range(len(instances) // batch_size):
        words = instances[batch * batch_size : (batch + 1) * batch_size]
        tags.append(model(words).argmax(-1))  # BUG
    return tags
