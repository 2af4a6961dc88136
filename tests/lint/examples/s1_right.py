from torch import nn

hidden = 32
net = nn.Sequential(
    nn.Linear(8, hidden), nn.ReLU(), nn.LayerNorm(hidden), nn.Linear(hidden, 64), nn.Unflatten(1, (4, 16)),
    nn.Linear(16, 4), nn.GLU(), nn.Linear(2, 1))
