from torch import nn

classifier = nn.Sequential(
    nn.Linear(8, 8), nn.ReLU(inplace=True), nn.Dropout(0.5, inplace=True),  # BUG
    nn.Linear(8, 8), nn.Sigmoid(),
    nn.ReLU(True))  # BUG
