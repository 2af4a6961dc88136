import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(16, 32), nn.ReLU())
        self.head = nn.Linear(32, classes)

    def forward(self, x):
        return self.head(self.features(x))


def fit(model, optimizer, steps=12):
    for _ in range(steps):
        inputs, labels = torch.randn(32, 16), torch.randint(5, (32,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()


torch.manual_seed(0)
model = Classifier(classes=100)
model.head = nn.Linear(32, 5)  # the number of classes of the new task
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
fit(model, optimizer)
