"""What does not fit is left out after the error, by name."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, width))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.backbone(x))


if __name__ == "__main__":
    torch.manual_seed(0)
    checkpoint = Net(16, 5).state_dict()
    model = Net(16, 3)
    try:
        model.load_state_dict(checkpoint)
    except RuntimeError:
        backbone = {key: value for key, value in checkpoint.items() if not key.startswith("head.")}
        print(model.load_state_dict(backbone, strict=False))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        x = torch.randn(16, 8)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long()).backward()
        optimizer.step()
