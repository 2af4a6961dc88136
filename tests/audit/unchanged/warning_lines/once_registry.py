# A warning is shown once for each line: the registry of the program's module is the one that is used.
import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("default")
for _ in range(3):
    F.mse_loss(torch.ones(2, 1), torch.ones(2))
registry = globals().get("__warningregistry__", {})
print(sorted(key[2] for key in registry if isinstance(key, tuple)))
