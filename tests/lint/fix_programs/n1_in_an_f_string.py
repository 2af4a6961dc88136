import torch
from torch import nn
net = nn.Identity()
def run(x):
    return f"é {net.forward(x)} {'b'}"
print(run(1))
