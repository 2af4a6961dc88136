import torch
from torch import nn

torch.manual_seed(0)
net, x = nn.Linear(2, 1), torch.ones(3, 2)
def steps():
    for _ in range(2):
        yield x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = net
    def forward(self, x):
        return self.fc(x), x
model, outputs = Net(), []
for x in steps():
    out = model(x)
    out[0].mean().backward()
    outputs.append(out)
print(len(outputs))
