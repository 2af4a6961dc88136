import torch
from net import Net

try:
    Net()(torch.ones(1, 2)).sum().backward()
    print("trained")
except RuntimeError:
    print("refused")
