"""A checkpoint of another width is filtered by shape and put into the model's own state dict."""

import os
import tempfile

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.stem = nn.Linear(8, 32)
        self.body = nn.Sequential(*[nn.Sequential(nn.Linear(32, width), nn.ReLU(), nn.Linear(width, 32))
                                    for _ in range(3)])
        self.head = nn.Linear(32, classes)

    def forward(self, x):
        return self.head(self.body(self.stem(x)))


def load_pretrained(model, path):
    pretrained = torch.load(path)
    own = model.state_dict()
    fitting = {k: v for k, v in pretrained.items() if k in own and v.shape == own[k].shape}
    own.update(fitting)
    model.load_state_dict(own)


def main(width=48):
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pretrained.pt")
        torch.save(Net(64, 5).state_dict(), path)
        model = Net(width, 3)
        load_pretrained(model, path)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        x = torch.randn(16, 8)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long()).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
