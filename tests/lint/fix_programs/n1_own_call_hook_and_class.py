import torch
from torch import nn

class Called(nn.Module):
    def forward(self, x):
        return x + 1
    def __call__(self, x):
        raise RuntimeError
class Other:
    def forward(self, x):
        return x
layer, called = nn.Identity(), Called()
other = nn.Identity() if torch.ones(1) == 0 else Other()
def hook(module, inputs, output):
    return layer.forward(inputs[0]) * 2
layer.register_forward_hook(hook)
def run(net, x):
    return net.forward(x)
print(layer(torch.ones(1)), called.forward(torch.ones(1)), other.forward(1), run(layer, 1), run(Other(), 1))
