import os

import torch

os.symlink("net.py", "other.py") if not os.path.lexists("other.py") else None
from other import Net

try:
    Net()(torch.ones(1, 2)).sum().backward()
except RuntimeError:
    print("refused")
