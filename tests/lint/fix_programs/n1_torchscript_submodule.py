import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 2)

    def forward(self, x):
        return self.head.forward(x)


print("CallMethod" in str(torch.jit.script(Net()).graph), str(torch.jit.script(Net()).code).count("forward"))
