import torch
from torch import nn


def show(value):
    print(value)
    return 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        out = torch.relu(self.fc(x) * 0)
        out += show(out)
        return out


print(Net()(torch.ones(1, 2)).shape)
