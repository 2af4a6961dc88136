import torch
from pydoc import locate
Net = locate("net.Net")
try:
    Net()(torch.ones(1, 2)).sum().backward()
    print("trained")
except RuntimeError:
    print("refused")
