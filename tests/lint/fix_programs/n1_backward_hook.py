import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc.forward(x)


net = Net()
net.fc.register_full_backward_hook(lambda module, inputs, outputs: print("backward of", type(module)))
net(torch.ones(1, 2, requires_grad=True)).sum().backward()
print("done")
