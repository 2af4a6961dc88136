# torch.jit.script of losses themselves, and of a module that keeps a function of torch as an attribute.
# needs: torch>=1.9
import warnings

import torch
from torch import nn
from torch.nn import functional

warnings.simplefilter("ignore")
losses = [functional.mse_loss, functional.l1_loss, functional.cross_entropy, functional.kl_div, functional.dropout]
for loss in losses:
    print(loss.__name__, torch.jit.script(loss).code)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = functional.mse_loss

    def forward(self, x):
        return self.loss(x, torch.zeros_like(x))


model = torch.jit.script(Model())
print(model(torch.ones(3)), model.code)
