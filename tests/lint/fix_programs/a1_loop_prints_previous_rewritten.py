import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        for step in range(3):
            if step:
                print(out)
            out = torch.tanh(self.fc(x))
            out *= step
        return out


torch.manual_seed(0)
print(Net()(torch.ones(1, 2)))
