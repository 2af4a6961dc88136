import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        with torch.no_grad():
            pass
        out = torch.relu(x)
        out += 1
        return out


print(Net()(torch.ones(1, 2)))
