import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.act = nn.Sigmoid()

    def forward(self, x):
        out = self.act(self.fc(x))
        out *= 3
        return {"out": out, "same": out}


torch.manual_seed(0)
net = Net()
print(net, list(net.state_dict()), [name for name, _ in net.named_parameters()])
result = net(torch.ones(1, 2))
print(result["out"] is result["same"], result)
copy = result["out"].detach()
copy += 1
print(result["out"].tolist(), f"{result['out'].sum():.4f}")
