import torch
from torch import nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.options = options
    def forward(this, x):
        def half(self):
            return F.dropout(self, 0.5)
        return F.dropout(half(x), **this.options), F.dropout(x, (0.5),)
torch.manual_seed(0)
print(Net(p=0.5, training=False).eval()(torch.ones(4)))
