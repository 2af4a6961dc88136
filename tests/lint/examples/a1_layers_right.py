from torch import nn

classifier = nn.Sequential(
    nn.Linear(8, 8), nn.ReLU(inplace=True), nn.Dropout(0.5), nn.Linear(8, 8), nn.LeakyReLU(0.1, True),
    nn.Dropout(0.5, inplace=True), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Sigmoid(), nn.Dropout(True))
