import torch
from models import (  # the networks (all of them)
    zero,
    net,
)
Net = net.Net
try:
    Net()(torch.ones(1, 2)).sum().backward()
    print("trained")
except RuntimeError:
    print("refused")
