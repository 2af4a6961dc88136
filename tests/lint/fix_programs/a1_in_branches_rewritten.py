import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.Tanh()

    def forward(self, x, mode):
        if mode == 0:
            out = self.act(x)
            out += 1
        elif mode == 1:
            out = torch.relu(x)
            out[out > 1] = 1
        else:
            out = x
            for _ in range(mode):
                out = torch.exp(out)
                out /= 3
        return out


net = Net()
for mode in range(4):
    print(mode, net(torch.linspace(-2, 2, 5), mode).tolist())
