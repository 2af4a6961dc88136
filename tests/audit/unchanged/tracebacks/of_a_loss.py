# quick
# ends: 1
# A loss that fails: the traceback on standard error.
import torch

torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2]))
