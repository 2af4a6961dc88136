"""forward() of a lazy layer does not initialize it."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.LazyLinear(2)

    def forward(self, x):
        try:
            return self.head.forward(x)
        except Exception:
            return self.head.has_uninitialized_params()


print(Net()(torch.ones(1, 2)))
