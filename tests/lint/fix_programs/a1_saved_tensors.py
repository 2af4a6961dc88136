import torch
from torch import nn

packed = []


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        out = torch.sigmoid(self.fc(x))
        out += 1
        return out


def pack(x):
    packed.append(x.data_ptr())
    return x


with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
    out = Net()(torch.ones(1, 2))
print(out.data_ptr() in packed)
