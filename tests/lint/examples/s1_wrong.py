from torch import nn

hidden = 32
net = nn.Sequential(
    nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1),
    nn.Linear(hidden, 4),  # BUG
    nn.BatchNorm1d(8))  # BUG
