import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        parts = []
        for part in x:
            out = torch.relu(part)
            out += 1
            parts.append(out)
        out = torch.stack(parts)
        out[0] = 5
        return out, [part for part in parts]


print(Net()(torch.tensor([[1.0, -1.0], [2.0, -2.0]])))
