import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        out = torch.relu(x)
        out += 1
        return out


values = np.array([-1.0, 2.0])
x = torch.from_numpy(values)
out = Net()(x)
array = out.numpy()
array += 5
print(values.tolist(), out.tolist(), x.tolist(), out.dtype)
