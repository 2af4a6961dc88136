# The step of an optimizer class is a partialmethod.
import functools

import torch


class Half(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def update(self, closure=None, *, scale=1.0):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.add_(parameter.grad, alpha=-group["lr"] * scale)

    step = functools.partialmethod(update, scale=0.5)


layer = torch.nn.Linear(2, 1, bias=False)
torch.nn.init.ones_(layer.weight)
try:
    optimizer = Half(layer.parameters(), lr=1.0)
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
except Exception as error:
    print(type(error).__name__, error)
print(layer.weight.tolist())
