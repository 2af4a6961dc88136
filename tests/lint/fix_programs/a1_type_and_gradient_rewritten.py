import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.other = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x, times):
        out = F.relu(self.fc(x))
        out *= times
        return out, self.other(x)


torch.manual_seed(0)
net = Net()
out, other = net(torch.ones(3, 2), torch.tensor([4, 2]))
print(out, out.dtype)
other.sum().backward()
print([weights.grad for weights in net.parameters()])
