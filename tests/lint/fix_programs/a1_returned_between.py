import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x, more=False):
        out = torch.relu(self.fc(x) * 0)
        if not more:
            return out
        out += 1
        return out


print(Net()(torch.ones(1, 2)))
