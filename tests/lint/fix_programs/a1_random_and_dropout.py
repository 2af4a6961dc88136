import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        out = F.relu(self.fc(F.dropout(x, 0.5, self.training)))
        out += torch.ones(4)
        out[0] = 0
        return F.dropout(out, 0.5, True)


torch.manual_seed(0)
net = Net().train()
print(net(torch.ones(2, 4)).tolist(), torch.rand(2), net.eval()(torch.ones(2, 4)).detach())
