import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def one(self):
        torch.set_grad_enabled(False)
        return 1

    def forward(self, x):
        out = torch.relu(self.fc(x))
        out += self.one()
        return out


print(Net()(torch.ones(1, 2)).grad_fn.name())
